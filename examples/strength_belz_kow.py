"""Strengths of preference in the shape of Belz & Kow (2010), and where the variation lies.

The answers are simulated, so that the script runs anywhere, in the shape of their slider experiment
on TUNA: 28 evaluators compare 8 systems on a slider from -50 to 50; each of the 28 pairs of systems
on each of 112 items once, 3136 trials. For your own study begin at "Read".
"""

import numpy as np

import bayeseval as be

# Simulate: every evaluator on every pair and item, of which a Latin square is kept, so that each
# evaluator has 112 trials, every pair on four items, and sees no item twice.
simulated = be.simulate.simulate_strength(
    n_annotators=28,
    n_systems=8,
    n_items=112,
    response="student_t",
    bound=50,
    quality_sd=8.0,
    interaction_sd=5.0,
    taste_sd=3.0,
    scale_sd=0.4,
    spread=12.0,
    random_seed=1,
)
crossed = simulated.judgements
a, b = crossed.codes("system_a"), crossed.codes("system_b")
_, pair = np.unique(np.minimum(a, b) * 8 + np.maximum(a, b), return_inverse=True)
kept = (pair + crossed.codes("item")) % 28 == crossed.codes("annotator")
crossed.to_frame()[kept].to_csv("strengths.csv", index=False)

# Read: the ends of the slider and whom they favour must be said.
strengths = be.StrengthJudgements.read(
    "strengths.csv",
    annotator="annotator",
    system_a="system_a",
    system_b="system_b",
    item="item",
    strength="strength",
    bounds=50,
    positive="a",
)
print(strengths.summary())

# Fit: points of the slider with heavy tails, so that the variance of an answer is known.
posterior = be.fit(strengths, be.PreferenceStrength(response="student_t"), random_seed=1)
print(posterior.describe())
print(be.rank(posterior))

# Where the variation lies, how consistent evaluators are, how many pairs are decided: the posterior
# beside the F ratios and Tukey's test of the paper.
print(be.variation(posterior, strengths))

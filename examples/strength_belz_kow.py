"""Strengths of preference in the shape of Belz & Kow (2010), and where the variation lies.

The answers are simulated, so that the script runs anywhere: 28 evaluators compare 8 systems on a
slider from -50 to 50. For your own study begin at "Read".
"""

import bayeseval as be

# Simulate: every evaluator sees 112 pairs of systems, each on some item, 3136 trials in all.
simulated = be.simulate.simulate_strength(
    n_annotators=28,
    n_systems=8,
    n_items=4,
    response="student_t",
    bound=50,
    quality_sd=8.0,
    taste_sd=3.0,
    scale_sd=0.4,
    spread=12.0,
    random_seed=1,
)
simulated.judgements.to_frame().to_csv("strengths.csv", index=False)

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

# Where the variation lies, and how many pairs are decided.
print(be.variance_shares(posterior))
decided = be.compare(posterior, quantity="quality").to_frame()
n_decided = int(((decided["lower"] > 0) | (decided["upper"] < 0)).sum())
print(f"{n_decided} of {len(decided)} pairs have an interval without 0")

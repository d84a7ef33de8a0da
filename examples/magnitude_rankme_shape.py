"""From magnitudes relative to a reference to ratios of quality, in the shape of RankME.

The answers are simulated, so that the script runs anywhere: three systems, each annotator gives
each of them a number beside a reference of 100, and most answers are exactly 100. For your own
study begin at "Read".
"""

import numpy as np

import bayeseval as be

# Simulate: most answers tie with the reference, nearly all others are below it.
simulated = be.simulate_magnitude(
    n_annotators=12,
    n_systems=3,
    n_items=20,
    design="ragged",
    share_judged=0.5,
    quality=np.array([0.1, 0.15, -0.25]),
    level=-1.2,
    sharpness=5.0,
    tie_band=2.2,
    spread=0.25,
    modulus_sd=0.1,
    random_seed=5,
)
simulated.judgements.to_frame().to_csv("magnitudes.csv", index=False)

# Read: what the numbers are relative to must be said; 0 has no ratio and would be refused.
magnitudes = be.MagnitudeJudgements.read(
    "magnitudes.csv",
    annotator="annotator",
    system="system",
    item="item",
    magnitude="magnitude",
    reference=100,
)
print(magnitudes.summary())

# Fit: the description says whether the answers at the reference were given a mass of their own.
posterior = be.fit(magnitudes, random_seed=1)
print(posterior.describe())
print(posterior.convergence)

# Rank and compare: quality is a log ratio, so its exponential is "so many times as good".
print(be.rank(posterior))
print(be.compare(posterior, rope=(0.45, 0.55)))
best, second, last = posterior.systems
ratio = np.exp(posterior.quality.sel(system=best) - posterior.quality.sel(system=last))
low, high = np.quantile(ratio, [0.025, 0.975])
print(f"{best} is judged {low:.2f} to {high:.2f} times as good as {last}")

# How often is a new answer exactly the reference, and what is a new answer on average?
for name in ("as_good_probability", "expected_ratio"):
    print(posterior.estimand(name).mean(("chain", "draw")).to_series().round(2))

# Report: everything on one page.
be.report(posterior, magnitudes, "report.html", rope=(0.45, 0.55))

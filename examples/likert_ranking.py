"""From a file of ratings to a ranking, a comparison and a report.

The ratings are simulated and written to a file first, so that the script runs anywhere. For your
own study begin at "Read".
"""

import bayeseval as be

# Simulate: 25 annotators rate outputs of 4 systems for 12 items on five points, not all of them.
simulated = be.simulate_likert(
    n_annotators=25,
    n_systems=4,
    n_items=12,
    design="ragged",
    share_judged=0.4,
    interaction_sd=0.4,
    taste_sd=0.4,
    random_seed=3,
)
simulated.judgements.to_frame().to_csv("ratings.csv", index=False)

# Read: the arguments name the columns of the file.
ratings = be.LikertJudgements.read(
    "ratings.csv",
    annotator="annotator",
    system="system",
    item="item",
    rating="rating",
    scale=(1, 5),
)
print(ratings.summary())

# Fit: the seed makes the result repeatable; without one, a fresh seed is drawn and kept.
posterior = be.fit(ratings, random_seed=1, draws=2000)
print(posterior.convergence)
posterior.save("posterior.nc")

# Rank and compare: is a system worth preferring, or is the difference too small to matter?
print(be.rank(posterior))
print(be.compare(posterior, rope=(0.45, 0.55)))
print(be.compare(posterior, quantity="expected_rating"))

# Report: everything on one page, for yourself and for an appendix.
be.report(posterior, ratings, "report.html", rope=(0.45, 0.55))

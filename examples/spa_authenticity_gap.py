"""The authenticity gap: ratings and stated probabilities of the same systems, side by side.

A study in the shape of Ethayarajh & Jurafsky (2022): 90 annotators, four sizes of a language model
and human texts, rated on five points, and compared in a circle of five pairs, each asked in both
directions. Larger models are better by design, so four orders are known; whether a protocol finds
them is the question. Then the same systems by the number of examples that an annotator saw. All
answers are simulated; for your own study begin at "Read".
"""

from typing import Literal

import numpy as np
import pandas as pd

import bayeseval as be
from bayeseval.frequentist import spa_test
from bayeseval.judgements import filter_incoherent

SYSTEMS = ["ada", "babbage", "curie", "davinci", "human"]
CIRCLE = [
    ("human", "ada"),
    ("babbage", "ada"),
    ("curie", "babbage"),
    ("davinci", "curie"),
    ("human", "davinci"),
]
EXPECTED: list[tuple[str, Literal[">"], str]] = [
    ("human", ">", "ada"),
    ("babbage", ">", "ada"),
    ("curie", ">", "babbage"),
    ("davinci", ">", "curie"),
]
QUALITY = np.array([-0.7, -0.1, 0.3, 0.65, 0.6])

# Simulate: the same qualities behind both protocols. Ratings are coarse and annotators differ in
# their use of the scale; a stated probability compares two texts directly.
ratings = be.simulate_likert(
    n_annotators=90,
    n_systems=5,
    n_items=1,
    quality=0.5 * QUALITY,
    severity_sd=1.0,
    gap_sd=0.5,
    taste_sd=0.5,
    random_seed=1,
).judgements.to_frame()
stated = be.simulate_spa(
    n_annotators=90,
    n_systems=5,
    quality=QUALITY,
    pair_sd=0.1,
    taste_sd=0.3,
    precision=20.0,
    precision_sd=0.5,
    end_probability=0.03,
    random_seed=2,
).judgements.to_frame()
names = dict(zip(sorted(set(ratings["system"])), SYSTEMS, strict=True))
ratings["system"] = ratings["system"].map(names)
stated[["system_a", "system_b"]] = stated[["system_a", "system_b"]].replace(names)
asked = {*CIRCLE, *((b, a) for a, b in CIRCLE)}
stated = stated[
    [pair in asked for pair in zip(stated["system_a"], stated["system_b"], strict=True)]
]
ratings.to_csv("ratings.csv", index=False)
stated.to_csv("stated.csv", index=False)

# Read: the arguments name the columns of the files.
likert = be.LikertJudgements.read(
    "ratings.csv", annotator="annotator", system="system", rating="rating", scale=(1, 5)
)
everybody = be.SPAJudgements.read(
    "stated.csv",
    annotator="annotator",
    system_a="system_a",
    system_b="system_b",
    probability="probability",
    bounds=(0, 1),
)

# Filter: who states that A is better than B and B better than A, together above τ, is left out.
for tau in (1.1, 1.3, 1.5):
    kept = filter_incoherent(everybody, tau=tau)
    print(f"τ = {tau}: {len(kept.annotators or ())} of 90 annotators are kept")
spa = filter_incoherent(everybody, tau=1.5)
print(spa.audit_frame())
print(spa_test(everybody))
print(spa_test(spa))
effect = be.filter_effect(everybody, taus=(1.5, 1.3, 1.1))
print(effect)
be.plot_filter_effect(effect).savefig("filter.png")

# Fit: the model, and beside it the same mean without a model of the answers.
by_rating = be.fit(likert, random_seed=1)
by_probability = be.fit(spa, random_seed=1)
print(by_probability.describe())
print(by_probability.convergence)
without_model = be.fit(spa, be.BayesianBootstrap(), random_seed=1)

# Compare: Table 1 of the paper with the posterior beside it, then the protocols.
print(be.side_by_side(by_probability, spa, expected=EXPECTED, pairs=CIRCLE))
print(be.side_by_side(without_model, spa, expected=EXPECTED, pairs=CIRCLE))
print(
    be.compare_posteriors(
        {"likert": by_rating, "spa": by_probability, "spa, bootstrap": without_model},
        expected=EXPECTED,
        pairs=CIRCLE,
    )
)

# Moderate: what a reader thinks of a system may depend on how many of its texts they saw. Other
# annotators, 15 for each number m of examples; SIMULATED so that differences show more with more
# examples. One model has all of them: qualities that are common, and how they depart at each m.
SHARE_SEEN = {1: 0.3, 5: 0.7, 20: 1.0}
by_examples = []
for m, share in SHARE_SEEN.items():
    some = be.simulate_spa(
        n_annotators=15,
        n_systems=5,
        quality=share * QUALITY,
        precision=20.0,
        end_probability=0.03,
        random_seed=10 + m,
    ).judgements.to_frame()
    some[["system_a", "system_b"]] = some[["system_a", "system_b"]].replace(names)
    by_examples.append(some.assign(annotator=f"{m} seen, " + some["annotator"], m=str(m)))
moderated = be.SPAJudgements.from_frame(
    pd.concat(by_examples),
    annotator="annotator",
    system_a="system_a",
    system_b="system_b",
    probability="probability",
    moderators=["m"],
    bounds=(0, 1),
)
by_m = be.compare(be.fit(moderated, random_seed=1), CIRCLE, by="m")
print(by_m)
be.plot_comparison(by_m).savefig("examples_seen.png")

# Report: everything on one page; it says where the model's mean is not the sample's.
be.report(by_probability, spa, "report.html")

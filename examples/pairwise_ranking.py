"""From a file of votes between two outputs to a ranking, chances of winning and a report.

The votes are simulated and written to a file first, so that the script runs anywhere. For your own
study begin at "Read".
"""

import bayeseval as be

# Simulate: 12 annotators vote on pairs of 5 systems for 10 prompts; ties are frequent, and the
# output that is shown first has an advantage.
simulated = be.simulate_pairwise(
    n_annotators=12,
    n_systems=5,
    n_items=10,
    design="ragged",
    share_judged=0.4,
    ties="davidson",
    tie_propensity=0.8,
    position_effect=0.3,
    taste_sd=0.4,
    random_seed=3,
)
simulated.judgements.to_frame().to_csv("votes.csv", index=False)

# Read: the arguments name the columns of the file; the words of the outcome are declared.
votes = be.PairwiseJudgements.read(
    "votes.csv",
    annotator="annotator",
    system_a="system_a",
    system_b="system_b",
    outcome="outcome",
    outcomes={"a": "a", "b": "b", "tie": "tie"},
    item="item",
)
print(votes.summary())

# Fit: Bradley-Terry, with what the design can tell of ties, order, annotators and items.
posterior = be.fit(votes, random_seed=1)
print(posterior.convergence)
print(posterior.describe())
posterior.save("posterior.nc")

# Rank and compare: half of the ties count as wins.
print(be.rank(posterior))
print(be.compare(posterior, rope=(0.45, 0.55)))

# Win, tie and loss of the first system against each of the others, in one new comparison.
outcomes = posterior.estimand("outcome_probability").mean(("chain", "draw"))
first, *others = posterior.systems
print(outcomes.sel(system=first, system_b=others).to_pandas().round(2))

# Report: everything on one page.
be.report(posterior, votes, "report.html", rope=(0.45, 0.55))

"""A cell of a result of which no judgement exists says so, and is no finding."""

from pathlib import Path

import pandas as pd
import pytest

import bayeseval as be

pytestmark = pytest.mark.sampling


def ratings() -> be.LikertJudgements:
    """Return ratings in which nobody judged C on d2."""
    rows = [
        (f"p{k}", system, day, mean + (k + len(day)) % 2)
        for k in range(12)
        for system, mean in (("A", 4), ("B", 3), ("C", 1))
        for day in ("d1", "d2")
        if (system, day) != ("C", "d2")
    ]
    return be.LikertJudgements.from_frame(
        pd.DataFrame(rows, columns=["annotator", "system", "d", "rating"]),
        annotator="annotator",
        system="system",
        rating="rating",
        scale=(1, 5),
        moderators=["d"],
    )


@pytest.fixture(scope="module")
def posterior(tmp_path_factory: pytest.TempPathFactory) -> be.Posterior:
    """Return what is left after saving of a fit of them."""
    family = be.OrdinalProbit(thresholds="common", effects={"taste": False})
    fitted = be.fit(
        ratings(), family, draws=300, tune=300, chains=2, random_seed=1, progressbar=False
    )
    path: Path = tmp_path_factory.mktemp("saved") / "ratings.nc"
    fitted.save(path)
    return be.load(path)


@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
def test_a_level_at_which_a_system_was_never_judged_is_named(posterior: be.Posterior) -> None:
    counts = posterior.data["judged"].to_dataset()["rows_by_d"].sel(system="C")
    assert counts.values.tolist() == [12, 0]
    for result in (
        be.rank(posterior),
        be.rank(posterior, by="d"),
        be.rank(posterior, by="d", level="d2"),
        be.compare(posterior, by="d"),
    ):
        assert "No judgement exists of 'C, d d2'" in " ".join(str(result).split())
    assert "No judgement exists" not in str(be.rank(posterior, by="d", level="d1"))


@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
def test_what_rests_on_the_model_alone_is_no_finding(posterior: be.Posterior) -> None:
    seen, unseen = be.rank(posterior, by="d")
    assert seen.not_apart("C", 0.95) == ()
    assert set(unseen.not_apart("C", 0.95)) == {"A", "B"}
    assert unseen.better["C"].isna().all()
    assert len(unseen.tiers) == 1
    assert unseen.separable(0.95) <= unseen.decided(0.95) <= 1
    assert unseen.table["p_better_than_next"].isna().sum() == 2
    said = " ".join(str(be.rank(posterior, by="d", level="d2")).split())
    assert "Nothing is known of 2 pairs that no judgements, or too few, bear on here" in said
    table = be.compare(posterior, by="d", rope=(0.45, 0.55)).to_frame()
    on_c = (table["system_a"] == "C") | (table["system_b"] == "C")
    assert (table.loc[(table["level"] == "d2") & on_c, "verdict"] == "not known").all()
    assert (table.loc[(table["level"] == "d1") & on_c, "verdict"] != "not known").all()


@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
def test_a_page_says_above_all_what_no_judgement_exists_of(
    posterior: be.Posterior, tmp_path: Path
) -> None:
    page = be.report(posterior, ratings(), tmp_path / "page.md", draws=20).read_text("utf-8")
    first = page.index("No judgement exists of 'C, d d2'")
    assert first < page.index("## ")
    assert "Some of this rests on no judgement. See the top of the page." in page

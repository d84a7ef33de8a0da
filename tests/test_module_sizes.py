"""No module is longer than a reader holds in mind: 400 lines."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST = 400
# Longer ones that are still to be divided, with the length that they may have and why it waits.
# A number here may only fall, and a module that has come down to MOST has to leave.
LONGER = {
    "bayeseval/families/_effects_kernel.py": (621, "the kernels of effects are being rewritten"),
    "bayeseval/families/ordinal_probit.py": (496, "what it predicts is to stand apart"),
}


def test_no_module_is_longer_than_agreed() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for folder in ("bayeseval", "tests", "examples", "models", "docs")
        for path in (ROOT / folder).rglob("*.py")
    }
    most = {name: LONGER.get(name, (MOST, ""))[0] for name in lengths}
    longer = {name: n for name, n in lengths.items() if n > most[name]}
    assert not longer, f"divide these by what they mean (at most {MOST} lines): {longer}"
    done = [name for name in LONGER if lengths.get(name, 0) <= MOST]
    assert not done, f"these are no longer too long, or gone: take them off the list: {done}"

"""From checked columns to the fields of a table: the steps that all protocols share."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bayeseval._checks import counted, shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Intake, Missing, joined, label_text
from bayeseval.judgements._factors import Factor, frozen_array, natural_order
from bayeseval.judgements._files import read_frame
from bayeseval.judgements._intake import (
    attribute_arrays,
    attribute_columns,
    coded,
    read_counts,
    refuse_duplicates,
    take,
)
from bayeseval.judgements._moderators import (
    moderator_columns,
    refuse_measurement,
    refuse_numbers_for_names,
)
from bayeseval.judgements._reading import Paths, naming_the_file, paths_of

type Columns = Sequence[str] | Mapping[str, str]

# What was answered together; no part of the unit of a judgement.
TOGETHER = ("ranking", "page")

# Digits with separators of thousands or decimals and signs around them: 1,000 or -1,5 or 100 %.
_WRITTEN_NUMBER = re.compile(r"[-+−]?\s*\d[\d.,'’\s]*%?")


@dataclass(frozen=True)
class Plan:
    """Which column plays which role."""

    answer: str
    roles: dict[str, str | None]
    moderators: tuple[str, ...]
    attributes: tuple[str, ...]

    def factor_roles(self) -> dict[str, str]:
        """Return role → factor name of the labelled columns that are there, but for systems."""
        named = {
            role: role
            for role in ("annotator", "item", "criterion", *TOGETHER)
            if self.roles.get(role) is not None
        }
        return named | {f"moderator {name}": name for name in self.moderators}


def plan(
    answers: Mapping[str, str | None],
    systems: Mapping[str, str],
    *,
    annotator: str | None,
    item: str | None = None,
    criterion: str | None = None,
    ranking: str | None = None,
    page: str | None = None,
    moderators: Columns = (),
    count: str | None = None,
    attributes: Columns = (),
) -> Plan:
    """Return the plan of a table; the first of ``answers`` is the answer itself."""
    named = moderator_columns(moderators)
    kept = attribute_columns(attributes, moderators=named)
    roles: dict[str, str | None] = {
        "annotator": annotator,
        **systems,
        **answers,
        "item": item,
        "criterion": criterion,
        "ranking": ranking,
        "page": page,
        "count": count,
    }
    roles |= {f"moderator {name}": column for name, column in named.items()}
    roles |= {f"attribute {name}": column for name, column in kept.items()}
    for role, column in systems.items():
        if column is None:
            raise JudgementError(f"{role}= must name a column.")
    answer = next((role for role, column in answers.items() if column is not None), None)
    if answer is None:
        raise JudgementError(f"{' or '.join(f'{role}=' for role in answers)} must name a column.")
    return Plan(answer, roles, tuple(named), tuple(kept))


def take_file[Table](
    path: Paths,
    planned: Plan,
    make: Callable[[Intake], Table],
    *,
    missing: Missing,
    separator: str | None,
    encoding: str,
) -> Table:
    """Read the planned columns of one file or several and make the table.

    Errors begin with the file's name; of several files rows are named with theirs.
    """
    files = paths_of(path)
    typed = [f"attribute {name}" for name in planned.attributes]
    with naming_the_file(*files):
        intakes = []
        for file in files:
            with naming_the_file(file):
                frame = read_frame(
                    file, planned.roles, typed=typed, separator=separator, encoding=encoding
                )
                intakes.append(take(frame, planned.roles, missing=missing))
        names = [file.name for file in files]
        return make(joined(intakes, names) if len(files) > 1 else intakes[0])


@dataclass(frozen=True, eq=False)
class Answers:
    """What a protocol made of its answer column.

    ``absent`` maps the reason why a row is no judgement to the rows it concerns; ``further`` holds
    other fields of the table with one value a row, ``settings`` those without rows.
    """

    values: np.ndarray
    absent: Mapping[str, np.ndarray]
    further: Mapping[str, np.ndarray] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)


def build(
    intake: Intake,
    planned: Plan,
    parse: Callable[[Intake], Answers],
    *,
    repeats: bool,
) -> dict[str, object]:
    """Return the fields of a table: answers parsed, absent rows counted, units checked."""
    answer = planned.answer
    if not intake.n_rows:
        raise JudgementError(
            f"expected at least one {answer}; the table has no rows. Check the export, or the "
            "filter before it."
        )
    intake, counts = read_counts(intake)
    found = parse(intake)
    left = np.ones(intake.n_rows, dtype=bool)
    settled = intake
    for reason, rows in found.absent.items():
        settled = settled.without(rows[left], reason, _by_system(intake, rows & left, counts))
        left &= ~rows
    if not settled.n_rows:
        lost = "; ".join(f"{counted(d.n_rows, 'row')}: {d.reason}" for d in settled.dropped)
        raise JudgementError(f"expected at least one {answer}; none is left ({lost}).")
    counts, values = counts[left], found.values[left]
    further = {name: column[left] for name, column in found.further.items()}
    factors = _factors(settled, planned)
    n_judgements = int(counts.sum())
    for name in planned.moderators:
        refuse_measurement(name, settled.columns[f"moderator {name}"], n_judgements)
    for role in ("annotator", "system", "system_a", "system_b", "criterion"):
        if role in settled.columns:
            refuse_numbers_for_names(role, settled.columns[role], n_judgements)
    if planned.roles["annotator"] is not None and not repeats:
        unit = {f.name: f.codes for f in factors if f.name not in TOGETHER}
        has_counts = planned.roles["count"] is not None
        if has_counts:
            unit[answer] = values
        refuse_duplicates(
            settled,
            unit,
            weights=settled.weights if has_counts else counts,
            answer=answer,
            remedy=_duplicate_remedy(planned),
        )
    attributes = attribute_arrays(settled, planned.attributes)
    if settled.reduced:
        # The engine that counted the rows returns them in any order.
        order = np.lexsort([values, *(f.codes for f in reversed(factors))])
        factors = [Factor(f.name, f.labels, f.codes[order]) for f in factors]
        values, counts = values[order], counts[order]
        further = {name: column[order] for name, column in further.items()}
        attributes = {name: column[order] for name, column in attributes.items()}
    return {
        "factors": tuple(Factor(f.name, f.labels, frozen_array(f.codes)) for f in factors),
        "answers": frozen_array(values),
        "counts": frozen_array(counts),
        "moderator_names": planned.moderators,
        "dropped": settled.dropped,
        "repeats": repeats,
        "attributes": {name: frozen_array(column) for name, column in attributes.items()},
        **{name: frozen_array(column) for name, column in further.items()},
        **found.settings,
    }


def _by_system(
    intake: Intake, absent: np.ndarray, counts: np.ndarray
) -> tuple[tuple[str, int, int], ...]:
    """Count, of every system that rows name, the judgements without an answer and all of them."""
    if not absent.any():
        return ()
    missing: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for role in ("system", "system_a", "system_b"):
        if (column := intake.columns.get(role)) is None:
            continue
        named = column.codes >= 0
        size = len(column.values)
        every = np.bincount(column.codes[named], weights=counts[named], minlength=size)
        gone = named & absent
        lost = np.bincount(column.codes[gone], weights=counts[gone], minlength=size)
        for value, n_lost, n_every in zip(column.values, lost, every, strict=True):
            if n_every:
                missing[label_text(value)] += int(n_lost)
                rows[label_text(value)] += int(n_every)
    return tuple((label, missing[label], rows[label]) for label in natural_order(list(rows)))


def _factors(intake: Intake, planned: Plan) -> list[Factor]:
    answer = f"{'an' if planned.answer[0] in 'aeiou' else 'a'} {planned.answer}"
    named = planned.factor_roles()
    factors = [_factor(intake, role, name, answer) for role, name in named.items()]
    systems = (
        [_factor(intake, "system", "system", answer)]
        if "system" in planned.roles
        else _pair(intake, answer)
    )
    at = 1 if "annotator" in named else 0
    return [*factors[:at], *systems, *factors[at:]]


def _factor(intake: Intake, role: str, name: str, answer: str) -> Factor:
    labels, codes = coded(intake.columns[role], intake, role=name, answer=answer)
    return Factor(name, tuple(labels), codes)


def _pair(intake: Intake, answer: str) -> list[Factor]:
    both = ("system_a", "system_b")
    sides = {name: coded(intake.columns[name], intake, role=name, answer=answer) for name in both}
    labels = tuple(natural_order(list({label for known, _ in sides.values() for label in known})))
    position = {label: code for code, label in enumerate(labels)}
    factors = [
        Factor(name, labels, np.array([position[label] for label in known], np.int32)[codes])
        for name, (known, codes) in sides.items()
    ]
    itself = factors[0].codes == factors[1].codes
    if itself.any():
        found = [labels[code] for code in np.unique(factors[0].codes[itself])]
        raise JudgementError(
            f"a comparison needs two systems; {some(found)} is compared with itself in "
            f"{intake.where(itself)}. Remove these rows, or check which columns system_a= and "
            "system_b= name."
        )
    return factors


def _duplicate_remedy(planned: Plan) -> str:
    hints = [
        f"name the column of the {name} ({name}=)"
        for name in ("item", "criterion")
        if planned.roles[name] is None
    ]
    first = f"Where rows differ in something not named, {' or '.join(hints)}. " if hints else ""
    return (
        f"{first}Remove the duplicates, or pass repeats=True if the same person truly answered "
        "again; for an export without identities pass annotator=None."
    )


def number_column(
    intake: Intake,
    role: str,
    number_of: Callable[[object], float | None],
    *,
    by_label: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the column as float64 (NaN where missing) and the rows where it is missing.

    Text must read as numbers throughout; text and numbers in one column are an error, and so are
    Booleans. ``by_label`` tells that the protocol has ``labels=`` to give words numbers.
    """
    column = intake.columns[role]
    truths = np.array([*(isinstance(value, bool) for value in column.values), False])
    if truths.any():
        found = [value for value in column.values if isinstance(value, bool)]
        raise JudgementError(
            f"{role}={column.source!r} must hold numbers; found {some(found)}, which are yes and "
            f"no, in {intake.where(truths[column.codes])}. "
            + (
                "If they tell which system is better, make PairwiseJudgements of them with "
                "outcomes={True: 'a', False: 'b'}; if they stand for numbers, say which with "
                "labels={True: …, False: …}."
                if by_label
                else f"Check which column {role}= names."
            )
        )
    numbers = [number_of(value) for value in column.values]
    is_text = np.array([*(isinstance(value, str) for value in column.values), False])
    if is_text[:-1].any() and not is_text[:-1].all():
        found = [value for value in column.values if isinstance(value, str)]
        raise JudgementError(
            f"{role}={column.source!r} mixes text and numbers: text {some(found)} in "
            f"{intake.where(is_text[column.codes])}. Store the column as one type."
        )
    unread = np.array([*(number is None for number in numbers), False])
    if unread.any():
        found = [value for value, bad in zip(column.values, unread[:-1], strict=True) if bad]
        raise JudgementError(
            f"{role}={column.source!r} must hold numbers; found {some(found)} in "
            f"{intake.where(unread[column.codes])}. {_remedy(found, by_label=by_label)}"
        )
    table = np.array([*(np.nan if n is None else n for n in numbers), np.nan])
    return table[column.codes], column.codes < 0


def _remedy(found: Sequence[object], *, by_label: bool) -> str:
    """Say what to do about cells that are no numbers; to call them missing comes last."""
    texts = [label_text(value) for value in found]
    written = [text for text in texts if _WRITTEN_NUMBER.fullmatch(text.strip())]
    word = next((text for text in texts if text not in written), None)
    says = []
    if written:
        says.append(
            f"Numbers such as {some(written, most=2)} have to be written plainly, with digits and "
            "a decimal point."
        )
        if any("," in text for text in written):
            says.append(
                'With pandas.read_csv: thousands="," where commas group thousands, decimal="," '
                "where they are the decimal mark."
            )
        if any("%" in text for text in written):
            says.append(
                "Percent signs go with column.str.rstrip('%').astype(float), on a scale to 100."
            )
    if word is not None and by_label:
        says.append(
            f"If words stand for numbers, pass labels={{{shown(word)}: …}} with the number of "
            "every answer."
        )
    if word is not None:
        only = "Only if" if says else "If"
        says.append(f'{only} such a cell means no answer, pass missing=("", {shown(word)}).')
    return " ".join(says)

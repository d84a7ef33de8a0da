"""The answer in sentences, for a reader who reads nothing else."""

import math
import unicodedata
from collections.abc import Mapping, Sequence

from bayeseval._text import probability, shorten
from bayeseval.ranking import Ranking, RankingPart

MOST_NAMED = 4
LABEL_WIDTH = 60
LEFT_TO_RIGHT = "\u200e"


def sentence(text: str) -> str:
    """Begin with a capital and end with a full stop."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def listed(labels: Sequence[str], *, most: int = MOST_NAMED) -> str:
    """Join labels to "A, B and C", or "A, B and 3 more"."""
    if len(labels) > most + 1:
        return f"{', '.join(labels[:most])} and {len(labels) - most} more"
    if len(labels) == 1:
        return labels[0]
    return f"{', '.join(labels[:-1])} and {labels[-1]}"


def answer(ranking: Ranking, part: RankingPart) -> list[str]:
    """Say who is best, who cannot be told apart, and how fine the ranking is."""
    frame = part.table
    systems = part.systems
    names = _names(systems)
    if len(systems) == 1:
        return [f"There is one system, {names[systems[0]]}: there is nothing to rank."]
    first, best = names[systems[0]], float(frame["p_best"].iloc[0])
    by_chance = frame.sort_values("p_best", ascending=False, kind="stable")
    rivals = [
        f"{names[row['system']]} ({probability(float(row['p_best']))})"
        for _, row in by_chance.iterrows()
        if row["system"] != systems[0] and row["p_best"] >= 0.05
    ]
    if best >= ranking.tier_prob:
        sentences = [
            (
                f"{first} is the best of the {len(systems)} systems, with probability "
                f"{probability(best)}."
            )
        ]
    elif best >= 0.5:
        sentences = [f"{first} is ranked first with probability {probability(best)}."]
        if rivals:
            sentences[0] += f" Others that may be first: {listed(rivals)}."
    else:
        sentences = [
            f"No system is clearly the best: {first} leads, and is the best with probability "
            f"{probability(best)}" + (f"; the others: {listed(rivals)}." if rivals else ".")
        ]
    contenders = part.not_apart(systems[0], ranking.tier_prob)
    if len(ranking.components) < 2 and 1 < len(contenders) < len(systems) - 1:
        sentences.append(f"{first} cannot be told from {listed([names[s] for s in contenders])}.")
    sentences += _not_apart(ranking, part, names)
    if len(part.tiers) > 1:
        shown = len(part.tiers) if len(part.tiers) <= MOST_NAMED + 1 else MOST_NAMED
        steps = " above ".join(
            listed([names[system] for system in tier]) for tier in part.tiers[:shown]
        )
        left = len(part.tiers) - shown
        more = f" above {left} further tiers" if left else ""
        sentences.append(f"Tiers: {steps}{more}.")
    sentences.append(ranking.resolution[ranking.parts.index(part)])
    return sentences


def leaders(ranking: Ranking) -> str:
    """Say in one sentence who is ranked first on which criteria."""
    names = _names(ranking.parts[0].systems)
    led: dict[str, list[str]] = {}
    for part in ranking.parts:
        led.setdefault(part.systems[0], []).append(part.criterion or "")
    if len(led) == 1:
        (first,) = led
        number = len(ranking.parts)
        return (
            f"{names[first]} is ranked first on {'both' if number == 2 else f'all {number}'} "
            "criteria."
        )
    most = sorted(led.items(), key=lambda item: -len(item[1]))
    shown = [f"{names[system]} on {listed(criteria)}" for system, criteria in most[:MOST_NAMED]]
    left = len(most) - len(shown)
    more = f"; {left} further systems on one criterion or more" if left else ""
    return f"Ranked first: {'; '.join(shown)}{more}."


def _names(labels: Sequence[str]) -> Mapping[str, str]:
    """Cut labels for a sentence; after a right-to-left one the sentence goes on left to right."""
    return {
        label: short
        + (LEFT_TO_RIGHT if any(unicodedata.bidirectional(c) in ("R", "AL") for c in short) else "")
        for label, short in zip(labels, shorten(labels, LABEL_WIDTH), strict=True)
    }


def _not_apart(ranking: Ranking, part: RankingPart, names: Mapping[str, str]) -> list[str]:
    """Name the neighbours whose order is not settled, run by run."""
    chances = part.table["p_better_than_next"].to_numpy()[:-1]
    runs: list[tuple[int, int]] = []
    for index, chance in enumerate(chances):
        if chance >= ranking.tier_prob:
            continue
        if runs and runs[-1][1] == index:
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    if runs == [(0, len(chances))] and len(chances) > 1:
        # All of them: the sentence on the resolution says so.
        return []
    sentences = []
    for start, stop in runs[:3]:
        group = [names[system] for system in part.systems[start : stop + 1]]
        if len(group) == 2:
            chance = float(chances[start])
            # Missing where no judgement tells the two apart: a number would be the prior's.
            known = f" (probability {probability(chance)} that {group[0]} is better)"
            known = "" if math.isnan(chance) else known
            sentences.append(f"{group[0]} and {group[1]} cannot be told apart{known}.")
        else:
            sentences.append(f"{listed(group)}: neighbours in this order cannot be told apart.")
    if len(runs) > 3:
        sentences.append(f"So it is for {len(runs) - 3} further groups of neighbours.")
    return sentences

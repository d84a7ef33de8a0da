"""The documents of ``--json``."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from bayeseval.comparison import Comparison
    from bayeseval.inference import Posterior
    from bayeseval.judgements import Judgements
    from bayeseval.ranking import Ranking


def print_json(document: Mapping[str, object]) -> None:
    from bayeseval import __version__

    plain = _plain({"bayeseval": __version__, **document})
    typer.echo(json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=2))


def about_judgements(judgements: "Judgements") -> dict[str, object]:
    annotators, items = judgements.annotators, judgements.items
    scale = getattr(judgements, "scale", None)
    return {
        "protocol": judgements.protocol,
        "fingerprint": judgements.fingerprint,
        "n_judgements": judgements.n_judgements,
        "n_rows": judgements.n_rows,
        "n_annotators": None if annotators is None else len(annotators),
        "n_items": None if items is None else len(items),
        "systems": judgements.systems,
        "criteria": judgements.criteria,
        "moderators": judgements.moderators,
        "scale": scale
        and {name: getattr(scale, name) for name in ("labels", "values", "declared")},
        "dropped": judgements.dropped,
    }


def about_posterior(posterior: "Posterior") -> dict[str, object]:
    convergence = posterior.convergence
    return {
        "protocol": posterior.protocol,
        "family": {"name": posterior.family.name, **_record(posterior.family)},
        "effects": [effect.name for effect in posterior.declaration.effects],
        "left_out": posterior.declaration.left_out,
        "fingerprint": posterior.fingerprint,
        "quality_scale": posterior.quality_scale,
        "approximate": posterior.approximate,
        "settings": posterior.settings,
        "convergence": {
            "ok": convergence.ok,
            "problems": convergence.problems,
            "divergences": convergence.divergences,
            "discarded": convergence.discarded,
            "independent": convergence.independent,
            "quantities": convergence.to_frame(),
        },
    }


def about_ranking(ranking: "Ranking") -> dict[str, object]:
    return {
        "by": ranking.by,
        "population": ranking.population,
        "averaged_over": ranking.averaged_over,
        "ci_prob": ranking.ci_prob,
        "ci_kind": ranking.ci_kind,
        "tier_prob": ranking.tier_prob,
        "tier_rule": ranking.tier_rule,
        "systems": ranking.to_frame(),
        "rank_distribution": [
            {
                "criterion": part.criterion,
                "level": part.level,
                "probability": {
                    system: list(row)
                    for system, row in zip(
                        part.distribution.index, part.distribution.to_numpy(), strict=True
                    )
                },
            }
            for part in ranking
        ],
    }


def about_comparison(comparison: "Comparison") -> dict[str, object]:
    return {
        "quantity": comparison.quantity,
        "title": comparison.title,
        "unit": comparison.unit,
        "reference": comparison.reference,
        "by": comparison.by,
        "population": comparison.population,
        "averaged_over": comparison.averaged_over,
        "rope": comparison.rope,
        "verdict_prob": comparison.verdict_prob,
        "verdict_rule": comparison.verdict_rule,
        "ci_prob": comparison.ci_prob,
        "ci_kind": comparison.ci_kind,
        "pairs": comparison.to_frame(),
    }


def _record(record: Any) -> dict[str, object]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _plain(value: Any) -> Any:
    """Turn records, tables and NumPy's numbers into what JSON has; a missing number is null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if is_dataclass(value):
        return _plain(_record(value))
    if hasattr(value, "to_dict"):
        return _plain(value.to_dict(orient="records"))
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value

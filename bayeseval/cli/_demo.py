"""The command ``demo``."""

from pathlib import Path
from typing import Annotated

import typer

from bayeseval._files import write_whole
from bayeseval.cli._options import Table
from bayeseval.cli._run import sampled, say, voice

_DEMO_SEED = 1


def demo(
    *,
    output: Annotated[
        Path, typer.Option("--out", help="Folder to write to; made where needed.")
    ] = Path("bayeseval-demo"),
    draws: Annotated[int, typer.Option(help="Draws kept, of each of four chains.")] = 2000,
) -> None:
    """Go the whole way on simulated ratings.

    Writes a file of ratings, fits them, prints the ranking and writes the report.
    """
    import numpy as np

    output.mkdir(parents=True, exist_ok=True)
    typer.echo("These data are SIMULATED: 30 annotators rate outputs of 5 systems for 20 items.")
    from bayeseval.simulate import simulate_likert

    simulated = simulate_likert(
        n_annotators=30,
        n_systems=5,
        n_items=20,
        n_categories=5,
        design="ragged",
        share_judged=0.25,
        quality=np.array([0.7, 0.45, 0.35, -0.4, -1.1]),
        interaction_sd=0.4,
        taste_sd=0.4,
        random_seed=_DEMO_SEED,
    )
    ratings = output / "ratings.csv"
    text = simulated.judgements.to_frame().to_csv(index=False)
    write_whole(ratings, text.encode(), "file of ratings")
    table = Table(
        file=ratings,
        annotator="annotator",
        own={"system": "system", "rating": "rating"},
        item="item",
        scale=(1, 5),
    )
    judgements = table.read()
    say(repr(judgements))
    from bayeseval.comparison import rank as rank_systems
    from bayeseval.families import OrdinalProbit
    from bayeseval.reporting import report as write_report

    with voice():
        posterior = sampled(judgements, OrdinalProbit(), draws=draws, seed=_DEMO_SEED)
    typer.echo(repr(rank_systems(posterior)))
    true = simulated.truth["quality"].to_series().sort_values(ascending=False)
    typer.echo(
        "\nThe true order, known because the data are simulated: "
        + " > ".join(f"{system} ({quality:+.2f})" for system, quality in true.items())
    )
    saved = posterior.save(output / "posterior.nc")
    page = write_report(
        posterior,
        judgements,
        output / "report.html",
        title="Demonstration on simulated ratings: posterior ranking of 5 systems",
    )
    typer.echo(
        f"\nIn {output.resolve()}:\n"
        f"  {ratings.name:13} the simulated ratings\n"
        f"  {saved.name:13} the posterior; bayeseval rank {saved}\n"
        f"  {page.name:13} the report; open it in a browser\n"
        "The same for a file of your own:\n"
        f"  bayeseval fit {ratings} --annotator annotator --system system --item item "
        f"--rating rating --scale 1 5 --draws {draws} --seed {_DEMO_SEED} --out posterior.nc "
        "--report report.html"
    )

"""A report as one HTML page.

Imports Jinja2 and matplotlib, and is therefore imported only when a page is written.
"""

from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from bayeseval._tables import Remark, Table
from bayeseval._text import visible
from bayeseval.reporting._document import Document, Picture
from bayeseval.reporting._figures import svg


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["visible"] = visible
    environment.tests["remark"] = lambda text: isinstance(text, Remark)
    folder = files("bayeseval.reporting")
    style = (folder / "report.css").read_text(encoding="utf-8")
    source = (folder / "report.html.jinja").read_text(encoding="utf-8")
    # Our own style sheet; nothing of the user's is in it.
    environment.globals["style"] = Markup(style)
    return environment.from_string(source)


def to_html(document: Document) -> str:
    """Write the document as a page; Jinja2, the table renderer and the SVG writer escape."""
    counter = iter(range(1, 1_000_000))

    def draw(picture: Picture) -> Markup:
        return Markup(
            svg(
                picture.figure,
                prefix=f"f{next(counter)}",
                title=picture.caption,
                description=picture.description,
            )
        )

    def show(table: Table) -> Markup:
        return Markup(table.html())

    return _template().render(document=document, draw=draw, show=show)

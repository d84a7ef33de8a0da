"""Sphinx configuration."""

from importlib.metadata import version as _version

project = "bayeseval"
author = "The bayeseval developers"
copyright = "2026, The bayeseval developers"
release = _version("bayeseval")
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build", "make_figure.py"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "bayeseval"
html_static_path = ["_static"]
html_sidebars = {"*": [], "howto/**": [], "families/**": []}
html_theme_options = {
    "show_prev_next": False,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
}

"""The command line: the package's main functions as commands.

Results go to standard output, everything else to standard error. Only typer is imported at the top
of these modules, so that help is quick.
"""

from bayeseval.cli._main import main

__all__ = ["main"]

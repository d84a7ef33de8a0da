"""``python -m bayeseval.cli``, the same as ``bayeseval``."""

from bayeseval.cli._main import main

main()

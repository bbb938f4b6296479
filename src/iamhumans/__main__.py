"""``python -m iamhumans`` is the command line."""

from iamhumans.cli.main import main

main()

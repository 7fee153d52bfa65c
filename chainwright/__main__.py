"""`python -m chainwright`."""

from chainwright.cli import main

main()

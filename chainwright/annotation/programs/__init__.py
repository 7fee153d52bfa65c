"""Judges that need no model: exact checkers of what a step says (`program:NAME`)."""

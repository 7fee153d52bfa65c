"""Auditing: corpora on disk, read for the rules of `chainwright.audit`, and what they found."""

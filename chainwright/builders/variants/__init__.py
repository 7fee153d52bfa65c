"""Variants: a worked question with fresh numbers, and the solution worked anew."""

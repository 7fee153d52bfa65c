"""Shapes: the formats of corpora, each read into the audit's record."""

"""Metrics: pure functions from gold labels and a judge's words to the papers' figures."""

"""Aggregation: labels from votes weighed by what each judge is worth, beside the majority."""

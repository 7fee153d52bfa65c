"""One way to name and to ask a model."""

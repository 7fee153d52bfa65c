"""The ways to reach a model: one module for each protocol, with its SDK imported on first use."""

"""Batches: many requests handed over at once, answered within a day, at half the price."""

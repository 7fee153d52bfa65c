"""Votes on the steps of chains, the labels they add up to, and what those labels are worth."""

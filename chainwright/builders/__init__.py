"""Builders: sources to problems, problems to chains, positives to synthetic negatives."""

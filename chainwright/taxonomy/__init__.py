"""Taxonomy: critiques are embedded, clustered, named and gathered into categories."""

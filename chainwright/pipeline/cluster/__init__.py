"""Cluster: the blocks of a build's stages, made on many machines."""

"""Models as judges: what they are asked of a chain, and their answers as votes."""

"""The parts of a recipe, each with what it holds and which of its keys go together."""

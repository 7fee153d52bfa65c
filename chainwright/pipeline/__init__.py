"""The pipeline: carries a recipe through the stages, block by block, in a run folder."""

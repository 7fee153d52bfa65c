"""Formats: labelled chains in the shapes that other projects read and write.

Values in, values out: files are the business of `release` and `pipeline`.
"""

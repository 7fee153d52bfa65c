"""Audit: what in a labelled corpus contradicts itself, as rules over one neutral record.

Pure: records come in, findings go out. Files are read and written in `chainwright.pipeline`.
"""

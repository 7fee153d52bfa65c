"""Validation: any table, run or release checked to the last row."""

"""How numbers and arithmetic are written in text: numerals, expressions, marks, equations.

A leaf beside `schemas`: the exact engine writes in this notation and the program judges read it,
and neither wing may import the other. Nothing here evaluates code: text is parsed by a grammar.
"""

"""Checkers of one's own as judges: what such a function takes, and what it says of each step.

A recipe names one among its judges as `python:PACKAGE.MODULE.FUNCTION`.
"""

from chainwright.annotation.checkers.view import Checker, Passage, View
from chainwright.annotation.programs.case import Opinion, abstained, correct, error

__all__ = ["Checker", "Opinion", "Passage", "View", "abstained", "correct", "error"]

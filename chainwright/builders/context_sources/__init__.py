"""Context sources: questions about passages, in their publishers' own formats.

The sources of GRACE (arXiv 2606.16151): evidence in MuSiQue and 2WikiMultihopQA, deduction in
ReClor, LogiQA and LogiQA 2.0. Passages are numbered from 1 in the order of the row, distractors
among them, and known by that number alone: titles repeat.
"""

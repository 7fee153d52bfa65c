"""People as annotators: who reads what, what an answer may be, what the answers amount to."""

"""chainwright: builds step-level reasoning corpora."""

__version__ = "0.1.0"

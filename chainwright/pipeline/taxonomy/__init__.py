"""The taxonomy commands: critiques read, the wing called, what it finds written down."""

"""The data contract: every table's rows, declared once. Imports nothing of ours."""

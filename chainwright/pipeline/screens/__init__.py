"""Screens: what a command shows, as text for people or JSON for machines."""

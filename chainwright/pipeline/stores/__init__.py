"""Stores: runs that lie elsewhere than on this disk, and their working copies here."""

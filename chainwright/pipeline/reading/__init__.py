"""Reading: raw rows of a source from files or the Hub, with the place of each."""

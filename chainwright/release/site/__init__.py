"""Site: a run as a folder of pages that opens from the disk, for people who would rather look.

Rows go in, files come out. `chain_view` joins the rows of a chain, `detail` and `listing` turn
them into what the pages load, `figures` counts, `overview` gathers the rest, `script_data` says
how data travels, `build` writes the folder; `pages/` holds the hand-written scripts and styles.
"""

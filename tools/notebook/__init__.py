"""Definitions of the tables in the pages, by topic; tools/notebook.py writes them."""

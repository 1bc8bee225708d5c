"""Boxes about a repository: setting it up, beginning a handoff, which files are whose."""

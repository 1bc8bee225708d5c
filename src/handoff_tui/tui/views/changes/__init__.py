"""The changes of one handoff, file by file."""

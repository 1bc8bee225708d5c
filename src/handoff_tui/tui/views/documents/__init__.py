"""The documents of one handoff, with verdicts in the margin."""

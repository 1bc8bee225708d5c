"""The evidence about one handoff: problems, claims and checks."""

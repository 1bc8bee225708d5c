"""The coverage view: every changed file, and whether a person approved it."""

"""The overview of one handoff: what was asked, what came, what is wrong, and what you can do."""

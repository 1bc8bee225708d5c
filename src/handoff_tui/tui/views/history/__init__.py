"""The history of one handoff: attempts, compared and explained."""

"""The queue: every handoff by what you can do about it."""

"""The full-screen front end, the only room that knows Textual. Only app.py calls review; widgets draw, and tell."""

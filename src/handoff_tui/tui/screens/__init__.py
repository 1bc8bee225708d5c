"""Screens: widgets put together, and the dialogs over them. None calls review."""

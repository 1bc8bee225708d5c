"""What an agent's program prints, read: bytes → events → a readable transcript, and what the run cost.

Imports only the standard library: the supervisor of an agent reads along while it works.
"""

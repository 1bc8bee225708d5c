"""The programs that run agents: what their hooks ask, what an agent may do there, and how our hooks are installed."""

"""Metrics, their targets, and the log entries behind them."""

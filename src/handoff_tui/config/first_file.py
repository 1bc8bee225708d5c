"""The `handoff-tui.toml` that `init` writes: only comments, to begin with."""

from __future__ import annotations

from typing import Final

FIRST_FILE: Final = """\
# Settings of handoff-tui for this repository. Every line is optional: without it the default counts.
#   handoff-tui config show --origins    what is in force, and where it comes from
#   handoff-tui config schema            every setting with its meaning, range and default
# This file is under review like all others: a check that is removed or loosened here is itself a finding.

# How much is read.
#[limits]
#commits = 200                     # how far back trailers and notes of handoffs are looked for

# A check of your own: any command; exit code 0 passes. It runs once a person has consented to it.
#[checks.regression]
#run = ["python3", "-m", "pytest", "-q"]
#severity = "critical"
#timeout_seconds = 600

# A check that comes with the program, by its id (`handoff-tui check --list`).
#[checks.ci-unchanged]
#severity = "critical"

# Phases and who works in them; at the end of each a person decides.
#[agents.writer]
#command = ["my-agent", "--prompt", "{prompt_file}"]
#timeout_seconds = 900

#[pipelines.release]
#retry_budget = 2
#failure_target = "write"
#[[pipelines.release.phases]]
#name = "write"
#agent = "writer"
#[[pipelines.release.phases]]
#name = "publish"
#human_only = true
"""

"""Packages declared by Python, Node, Go, Rust and builder manifests."""

from __future__ import annotations

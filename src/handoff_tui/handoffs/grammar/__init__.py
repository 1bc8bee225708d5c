"""The words of documents: which sentences claim, what words stand for, what authors conclude."""

from __future__ import annotations

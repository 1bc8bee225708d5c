"""The kinds of numbers and names that settings are made of."""

from __future__ import annotations

from typing import Annotated

from handoff_tui.core.model import Fits

Count = Annotated[int, Fits(ge=0)]
"""A whole number, zero included."""
Quantity = Annotated[int, Fits(ge=1)]
"""A whole number, at least one."""
Seconds = Annotated[float, Fits(gt=0, allow_inf_nan=False)]
"""A time that cannot be zero: a timeout of zero would fail everything."""
Amount = Annotated[float, Fits(gt=0, allow_inf_nan=False)]
"""A number above zero: hours, minutes, a factor."""
Pause = Annotated[float, Fits(ge=0, allow_inf_nan=False)]
"""A wait between two attempts; zero means no wait."""
Share = Annotated[float, Fits(ge=0, le=1, allow_inf_nan=False)]
"""A part of the whole, from 0 to 1."""
Name = Annotated[str, Fits(min_length=1)]
"""A text that is not empty."""
Arguments = Annotated[tuple[Name, ...], Fits(min_length=1)]
"""A command as a list: the program, then its arguments. Never a line for a shell."""

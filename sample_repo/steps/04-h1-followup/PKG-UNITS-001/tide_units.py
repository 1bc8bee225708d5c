"""Heights: metres inside, other units only at the edge."""

from decimal import ROUND_HALF_UP, Decimal

FEET_PER_METRE = 3.280839895
CENTIMETRE = Decimal("0.01")


def metres_to_feet(metres):
    return metres * FEET_PER_METRE


def feet_to_metres(feet):
    return feet / FEET_PER_METRE


def round_height(metres):
    """To the centimetre; halves go away from zero, as the harbour office does it."""
    return float(Decimal(str(metres)).quantize(CENTIMETRE, ROUND_HALF_UP))


def format_height(metres, unit="m"):
    """A height as it is printed: `+1.20 m`."""
    if unit not in ("m", "ft"):
        raise ValueError(f"unknown unit {unit!r}; use m or ft")
    value = metres_to_feet(metres) if unit == "ft" else metres
    return f"{round_height(value):+.2f} {unit}"


def parse_height(text):
    """A printed height back to metres."""
    number, _, unit = text.strip().partition(" ")
    if unit not in ("m", "ft"):
        raise ValueError(f"no unit in {text!r}; write 1.20 m or 3.9 ft")
    value = float(number)
    return feet_to_metres(value) if unit == "ft" else value

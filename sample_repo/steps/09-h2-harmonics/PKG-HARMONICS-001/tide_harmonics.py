"""The tide as a sum of cosines. Hours since an epoch go in, metres come out."""

import math
from dataclasses import dataclass

from tide_units import format_height


@dataclass(frozen=True)
class Constituent:
    """One cosine: amplitude in metres, speed in degrees per hour, phase in degrees."""

    name: str
    amplitude: float
    speed: float
    phase: float = 0.0

    def __post_init__(self):
        if self.amplitude < 0:
            raise ValueError(f"the amplitude of {self.name} is negative")

    def height_at(self, hours):
        return self.amplitude * math.cos(math.radians(self.speed * hours - self.phase))


def height_at(constituents, hours, mean=0.0):
    """Metres above datum; `mean` is the mean water level above datum."""
    return mean + sum(part.height_at(hours) for part in constituents)


def greatest_range(constituents):
    """The most that high and low water can ever be apart."""
    return 2 * sum(part.amplitude for part in constituents)


def describe(constituents, hours, mean=0.0):
    return format_height(height_at(constituents, hours, mean))

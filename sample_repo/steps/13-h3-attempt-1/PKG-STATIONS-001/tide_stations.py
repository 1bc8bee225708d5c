"""The harbours we serve. Data in a file, rules in code."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from tide_harmonics import Constituent

DATA = Path(__file__).with_name("stations.json")


@dataclass(frozen=True)
class Station:
    name: str
    latitude: float
    longitude: float
    mean: float
    constituents: tuple


def load_stations(path=DATA):
    """Every station of a file; a wrong file is refused as a whole."""
    entries = json.loads(Path(path).read_text(encoding="utf-8"))["stations"]
    stations = [_build_station(entry) for entry in entries]
    names = [station.name for station in stations]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two stations are called {name}")
    return stations


def find_station(stations, name):
    """The station of a name, in any case."""
    for station in stations:
        if station.name.casefold() == name.strip().casefold():
            return station
    raise KeyError(name)


def nearest_station(stations, latitude, longitude):
    """The nearest by flat distance."""

    def distance(station):
        return math.hypot(station.latitude - latitude, station.longitude - longitude)

    return min(stations, key=distance)


def _build_station(entry):
    parts = tuple(Constituent(**part) for part in entry["constituents"])
    return Station(entry["name"], entry["latitude"], entry["longitude"], entry["mean"], parts)

"""Answers of the tide service: a path goes in, a status and a text come out."""

from tide_harmonics import describe
from tide_stations import find_station, load_stations


def respond(path):
    """`/health`, `/stations`, `/height/<station>/<hours>`."""
    parts = [part for part in path.split("/") if part]
    if parts == ["health"]:
        return 200, "ok"
    if parts == ["stations"]:
        return 200, "\n".join(station.name for station in load_stations())
    if len(parts) == 3 and parts[0] == "height":
        return _height(parts[1], parts[2])
    return 404, f"nothing at {path}"


def _height(name, hours):
    try:
        station = find_station(load_stations(), name)
    except KeyError:
        return 404, f"no station {name}"
    try:
        at = float(hours)
    except ValueError:
        return 400, "hours must be a number"
    return 200, describe(station.constituents, at, station.mean)

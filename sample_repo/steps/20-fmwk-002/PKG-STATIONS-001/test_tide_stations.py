import json
import tempfile
import unittest
from pathlib import Path

from tide_stations import find_station, load_stations, nearest_station


def write(folder, *entries):
    path = Path(folder) / "stations.json"
    path.write_text(json.dumps({"stations": list(entries)}), encoding="utf-8")
    return path


def entry(name, latitude=60.0, longitude=5.0, amplitude=1.0):
    part = {"name": "M2", "amplitude": amplitude, "speed": 28.984}
    return {"name": name, "latitude": latitude, "longitude": longitude, "mean": 1.0, "constituents": [part]}


class LoadTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_our_own_file_loads(self):
        self.assertEqual(3, len(load_stations()))

    def test_two_of_one_name_are_refused(self):
        with self.assertRaises(ValueError):
            load_stations(write(self.folder, entry("Odda"), entry("Odda")))

    @unittest.skip("slow")
    def test_names_differing_in_case_are_refused(self):
        with self.assertRaises(ValueError):
            load_stations(write(self.folder, entry("Odda"), entry("ODDA")))


class FindTest(unittest.TestCase):
    def test_name_is_found_in_any_case(self):
        self.assertEqual("Kvitholm", find_station(load_stations(), "kvitHOLM").name)


class NearestTest(unittest.TestCase):
    def setUp(self):
        self.stations = load_stations()

    @unittest.skip("slow")
    def test_longitude_shrinks_in_the_north(self):
        self.assertEqual("Nordskjer", nearest_station(self.stations, 63.1, 6.2).name)

    def test_south_of_everything_is_the_southernmost(self):
        self.assertEqual("Vestersund", nearest_station(self.stations, 58.0, 5.0).name)

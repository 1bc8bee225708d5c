import unittest
from dataclasses import FrozenInstanceError

from tide_harmonics import Constituent, describe, greatest_range, height_at

MOON = Constituent("M2", 1.5, 30.0)
SUN = Constituent("S2", 0.5, 30.0)


class ConstituentTest(unittest.TestCase):
    def test_crest_is_the_amplitude(self):
        self.assertAlmostEqual(1.5, MOON.height_at(0))

    def test_trough_comes_half_a_turn_later(self):
        self.assertAlmostEqual(-1.5, MOON.height_at(6))

    def test_phase_delays_the_crest(self):
        self.assertAlmostEqual(1.5, Constituent("M2", 1.5, 30.0, 60.0).height_at(2))

    def test_negative_amplitude_is_refused(self):
        with self.assertRaises(ValueError):
            Constituent("M2", -0.1, 30.0)

    def test_constituent_never_changes(self):
        with self.assertRaises(FrozenInstanceError):
            MOON.amplitude = 2.0


class HeightTest(unittest.TestCase):
    def test_constituents_add_up(self):
        self.assertAlmostEqual(2.0, height_at([MOON, SUN], 0))

    def test_mean_level_is_added(self):
        self.assertAlmostEqual(3.5, height_at([MOON], 0, mean=2.0))

    def test_without_constituents_the_mean_remains(self):
        self.assertEqual(2.0, height_at([], 7, mean=2.0))

    def test_range_is_twice_the_amplitudes(self):
        self.assertEqual(4.0, greatest_range([MOON, SUN]))

    def test_description_is_printed_by_units(self):
        self.assertEqual("+1.50 m", describe([MOON], 12))

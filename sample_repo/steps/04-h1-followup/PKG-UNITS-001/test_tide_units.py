import unittest

import tide_units as units


class ConversionTest(unittest.TestCase):
    def test_one_metre_in_feet(self):
        self.assertAlmostEqual(3.28084, units.metres_to_feet(1), places=5)

    def test_feet_to_metres(self):
        self.assertAlmostEqual(0.3048, units.feet_to_metres(1), places=6)

    def test_round_trip_keeps_the_height(self):
        self.assertAlmostEqual(2.75, units.feet_to_metres(units.metres_to_feet(2.75)))

    def test_heights_are_rounded_to_the_centimetre(self):
        self.assertEqual(1.23, units.round_height(1.2349))

    def test_half_rounds_up(self):
        self.assertEqual(0.13, units.round_height(0.125))

    def test_half_below_datum_rounds_down(self):
        self.assertEqual(-0.13, units.round_height(-0.125))


class FormatTest(unittest.TestCase):
    def test_sign_is_always_shown(self):
        self.assertEqual("+1.20 m", units.format_height(1.2))

    def test_below_datum_is_negative(self):
        self.assertEqual("-0.35 m", units.format_height(-0.35))

    def test_feet_are_converted(self):
        self.assertEqual("+3.28 ft", units.format_height(1, "ft"))

    def test_unknown_unit_is_refused(self):
        with self.assertRaises(ValueError):
            units.format_height(1, "fathom")


class ParseTest(unittest.TestCase):
    def test_metres_are_read_back(self):
        self.assertEqual(1.2, units.parse_height("+1.20 m"))

    def test_missing_unit_is_refused(self):
        with self.assertRaises(ValueError):
            units.parse_height("1.20")

import unittest

import almanac


class AlmanacTest(unittest.TestCase):
    def test_day_has_two_high_waters(self):
        self.assertEqual(2, len(almanac.high_waters("2026-03-02")))

    def test_times_rise_within_a_day(self):
        first, second = almanac.high_waters("2026-03-03")
        self.assertLess(first, second)

    def test_unknown_day_has_none(self):
        self.assertEqual((), almanac.high_waters("2027-01-01"))

    def test_coverage_is_told(self):
        self.assertTrue(almanac.is_covered("2026-03-04"))
        self.assertFalse(almanac.is_covered("2026-03-05"))

import unittest

import tide_table


class HighWaterTest(unittest.TestCase):
    def test_high_water_lies_between_a_rise_and_a_fall(self):
        samples = [(0, 0.5), (1, 1.2), (2, 1.4), (3, 1.1), (4, 0.6)]
        self.assertEqual([(2, 1.4)], tide_table.high_waters(samples))

    def test_no_samples_have_no_high_water(self):
        self.assertEqual([], tide_table.high_waters([]))

    def test_flat_stretch_gives_one_turning_point(self):
        samples = [(0, 0.5), (1, 1.4), (2, 1.4), (3, 0.6)]
        self.assertEqual([(1, 1.4)], tide_table.high_waters(samples))


class LowWaterTest(unittest.TestCase):
    def test_low_water_lies_between_a_fall_and_a_rise(self):
        samples = [(0, 1.4), (1, 0.9), (2, 0.4), (3, 0.7)]
        self.assertEqual([(2, 0.4)], tide_table.low_waters(samples))

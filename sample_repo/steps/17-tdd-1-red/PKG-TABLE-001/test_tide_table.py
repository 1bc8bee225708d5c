import unittest

import tide_table


class HighWaterTest(unittest.TestCase):
    def test_high_water_lies_between_a_rise_and_a_fall(self):
        samples = [(0, 0.5), (1, 1.2), (2, 1.4), (3, 1.1), (4, 0.6)]
        self.assertEqual([(2, 1.4)], tide_table.high_waters(samples))

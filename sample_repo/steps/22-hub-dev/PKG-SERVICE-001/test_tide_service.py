import unittest

from tide_service import respond


class ServiceTest(unittest.TestCase):
    def test_health_is_ok(self):
        self.assertEqual((200, "ok"), respond("/health"))

    def test_stations_are_listed(self):
        self.assertIn("Kvitholm", respond("/stations")[1])

    def test_height_is_printed(self):
        status, text = respond("/height/kvitholm/0")
        self.assertEqual(200, status)
        self.assertTrue(text.endswith(" m"))

    def test_unknown_station_is_not_found(self):
        self.assertEqual(404, respond("/height/atlantis/0")[0])

    def test_hours_must_be_a_number(self):
        self.assertEqual(400, respond("/height/kvitholm/noon")[0])

    def test_unknown_path_is_not_found(self):
        self.assertEqual(404, respond("/moon")[0])

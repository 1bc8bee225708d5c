"""Prints a day of heights, to see where the flat stretches come from."""

for hour in range(24):
    print(hour)

"""High and low water from heights sampled by the hour."""


def high_waters(samples):
    """The samples that are higher than both their neighbours."""
    return [here for before, here, after in _triples(samples) if _slope(before, here) > 0 > _slope(here, after)]


def low_waters(samples):
    """The samples that are lower than both their neighbours."""
    return [here for before, here, after in _triples(samples) if _slope(before, here) < 0 < _slope(here, after)]


def _slope(one, other):
    return (other[1] > one[1]) - (other[1] < one[1])


def _triples(samples):
    return zip(samples, samples[1:], samples[2:])

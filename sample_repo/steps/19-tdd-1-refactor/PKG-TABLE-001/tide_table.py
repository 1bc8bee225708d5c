"""High and low water from heights sampled by the hour."""


def high_waters(samples):
    """The samples that are higher than both their neighbours."""
    return [here for before, here, after in _triples(samples) if before[1] < here[1] > after[1]]


def _triples(samples):
    return zip(samples, samples[1:], samples[2:])

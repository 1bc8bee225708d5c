"""High and low water from heights sampled by the hour."""


def high_waters(samples):
    raise NotImplementedError

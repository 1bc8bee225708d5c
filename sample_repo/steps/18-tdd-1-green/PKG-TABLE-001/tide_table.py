"""High and low water from heights sampled by the hour."""


def high_waters(samples):
    found = []
    for i in range(1, len(samples) - 1):
        if samples[i - 1][1] < samples[i][1] and samples[i][1] > samples[i + 1][1]:
            found.append(samples[i])
    return found

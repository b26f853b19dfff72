"""The table of lakes leaves no pair of format, store and catalog out, and names nothing twice."""

import itertools
import pathlib

import lake


def pairs(names):
    return {pair for name in names for pair in itertools.combinations(
        zip(("format", "store", "catalog"), name.split("/")), 2)}


def test_every_pair_that_can_be_is_there():
    lines = (pathlib.Path(__file__).parent / "lakes.txt").read_text().splitlines()
    listed = [line.split()[1] for line in lines if not line.startswith("#")]
    possible = {"/".join(parts) for parts in lake.everything_possible()}
    assert pairs(possible) - pairs(listed) == set()
    assert set(listed) <= possible and len(set(listed)) == len(listed)

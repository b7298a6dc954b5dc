"""Legal moves from the families of `state.legal`. Knows no game: a pattern, numbers for its slots, a bound on their sum."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, product
from typing import Any

Family = dict[str, Any]

# More moves than this are not listed: a judge needs some legal moves, not all of a very large position.
MOVES_MAX = 20_000

PLACE = re.compile(r"\{(\w+?)(\+1)?\}")


def moves(legal: list[Family]) -> list[str]:
    """The moves of all families, in the order in which the families stand."""
    return list(islice(chain.from_iterable(members(family) for family in legal), MOVES_MAX))


def firsts(legal: list[Family]) -> list[str]:
    """One move of each family: its first, which has the smallest numbers."""
    found = (next(members(family), None) for family in legal)
    return [move for move in found if move is not None]


def members(family: Family) -> Iterator[str]:
    """The moves of one family, without a list of them all."""
    slots = family.get("slots", [])
    names = [slot["name"] for slot in slots]
    least, greatest, above = family.get("total", (0, float("inf"), 0))
    for numbers in product(*(list(_numbers(slot["runs"])) for slot in slots)):
        if least <= sum(numbers) <= greatest and sum(number > 0 for number in numbers) >= above:
            values = dict(zip(names, numbers, strict=True))
            yield PLACE.sub(lambda place: str(values[place[1]] + (1 if place[2] else 0)), family["pattern"])


def _numbers(runs: list[list[int]]) -> Iterator[int]:
    for first, last, step in runs:
        yield from range(first, last + 1, step)

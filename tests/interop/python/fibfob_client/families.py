"""Legal moves from the move families of `state.legal`, without knowledge of any game: a family is a pattern, the
numbers allowed in its slots, and a bound on their sum."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, product
from typing import Any

Family = dict[str, Any]

# The most moves that are listed: a client needs some legal moves, not all moves of a very large position.
MOVES_MAX = 20_000

SLOT = re.compile(r"\{(\w+?)(\+1)?\}")


def moves(legal: list[Family]) -> list[str]:
    """The moves of all families, in the order of the families."""
    return list(islice(chain.from_iterable(members(family) for family in legal), MOVES_MAX))


def first_moves(legal: list[Family]) -> list[str]:
    """The first move of each family, which has the smallest numbers."""
    found = (next(members(family), None) for family in legal)
    return [move for move in found if move is not None]


def members(family: Family) -> Iterator[str]:
    """The moves of one family, generated one at a time."""
    slots = family.get("slots", [])
    names = [slot["name"] for slot in slots]
    least, most, positive = family.get("total", (0, float("inf"), 0))
    for numbers in product(*(list(_numbers(slot["runs"])) for slot in slots)):
        if least <= sum(numbers) <= most and sum(number > 0 for number in numbers) >= positive:
            values = dict(zip(names, numbers, strict=True))
            yield SLOT.sub(lambda slot: str(values[slot[1]] + (1 if slot[2] else 0)), family["pattern"])


def _numbers(runs: list[list[int]]) -> Iterator[int]:
    for first, last, step in runs:
        yield from range(first, last + 1, step)

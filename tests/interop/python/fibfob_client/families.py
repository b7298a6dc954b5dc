"""Legal moves from the move families of `state.legal`, without knowledge of any game: a family is a pattern with
numbers in it, such as `take {1..5} from 2`, perhaps with a bound on their sum."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, product
from typing import Any

Family = str | dict[str, Any]

# The most moves that are listed: a client needs some legal moves, not all moves of a very large position.
MOVES_MAX = 20_000

# A number in a pattern: `{1..5,9..21/3}`, `{a:1..5}`, `{a}` or `{a+1}`.
HOLE = re.compile(r"\{(?:([a-z])(?:\+(\d+))?:?)?([\d.,/]*)\}")


def moves(legal: list[Family]) -> list[str]:
    """The moves of all families, in the order of the families."""
    return list(islice(chain.from_iterable(members(family) for family in legal), MOVES_MAX))


def first_moves(legal: list[Family]) -> list[str]:
    """The first move of each family, which has the smallest numbers."""
    found = (next(members(family), None) for family in legal)
    return [move for move in found if move is not None]


def members(family: Family) -> Iterator[str]:
    """The moves of one family, generated one at a time."""
    pattern = family if isinstance(family, str) else family["pattern"]
    least, most, positive = (0, float("inf"), 0) if isinstance(family, str) else family["total"]
    slots: dict[str, list[int]] = {}
    holes = []
    for hole in HOLE.finditer(pattern):
        name = hole[1] or f"unnamed {len(slots)}"
        if hole[3]:
            slots[name] = [number for run in hole[3].split(",") for number in _numbers(run)]
        holes.append((name, int(hole[2] or 0)))
    for numbers in product(*slots.values()):
        if least <= sum(numbers) <= most and sum(number > 0 for number in numbers) >= positive:
            values = dict(zip(slots, numbers, strict=True))
            texts = iter([str(values[name] + more) for name, more in holes])
            yield HOLE.sub(lambda _, texts=texts: next(texts), pattern)


def _numbers(run: str) -> Iterator[int]:
    ends, _, step = run.partition("/")
    first, _, last = ends.partition("..")
    yield from range(int(first), int(last or first) + 1, int(step or 1))

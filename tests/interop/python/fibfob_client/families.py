"""Legal moves from the move families of `state.legal`, without knowledge of any game: a family is a pattern with
numbers or letters in it, such as `take {1..5} from 2` or `ship {a..f}6@3`, perhaps with a bound on their sum."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice, product
from typing import Any

Family = str | dict[str, Any]

# The most moves that are listed: a client needs some legal moves, not all moves of a very large position.
MOVES_MAX = 20_000

# A hole in a pattern: `{1..5,9..21/3}`, `{a..f}`, `{a:1..5}`, `{a}` or `{a+1}`.
HOLE = re.compile(r"\{(?:([a-z])(?:\+(\d+))?(?::|(?=\})))?([\da-z.,/]*)\}")


def moves(legal: list[Family]) -> list[str]:
    """The moves of all families, in the order of the families."""
    return list(islice(chain.from_iterable(members(family) for family in legal), MOVES_MAX))


def first_moves(legal: list[Family]) -> list[str]:
    """The first of the moves alone: it has the smallest numbers."""
    return moves(legal)[:1]


def members(family: Family) -> Iterator[str]:
    """The moves of one family, generated one at a time."""
    pattern = family if isinstance(family, str) else family["pattern"]
    least, most, positive = (0, float("inf"), 0) if isinstance(family, str) else family["total"]
    slots: dict[str, list[int]] = {}
    written: dict[str, Callable[[int], str]] = {}
    holes = []
    for hole in HOLE.finditer(pattern):
        name = hole[1] or f"unnamed {len(slots)}"
        if hole[3]:
            slots[name] = [number for run in hole[3].split(",") for number in _numbers(run)]
            written[name] = str if hole[3][0].isdigit() else chr
        holes.append((name, int(hole[2] or 0)))
    for numbers in product(*slots.values()):
        if least <= sum(numbers) <= most and sum(number > 0 for number in numbers) >= positive:
            values = dict(zip(slots, numbers, strict=True))
            texts = iter([written[name](values[name] + more) for name, more in holes])
            yield HOLE.sub(lambda _, texts=texts: next(texts), pattern)


def _numbers(run: str) -> Iterator[int]:
    ends, _, step = run.partition("/")
    first, _, last = ends.partition("..")
    # A letter counts as its character's code.
    low, high = (int(end) if end.isdigit() else ord(end) for end in (first, last or first))
    yield from range(low, high + 1, int(step or 1))

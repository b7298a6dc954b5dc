"""`python -m conformance URL`: asks the server at URL every case, and ends with 1 where one failed."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from . import autobahn, rfc6455
from .suite import load

# So many connections at once: enough to wait in one second instead of in a hundred.
AT_ONCE = 12

Asked = TypeVar("Asked")


async def all_of(asking: Iterable[Callable[[], Awaitable[Asked]]]) -> list[Asked]:
    room = asyncio.Semaphore(AT_ONCE)

    async def one(ask: Callable[[], Awaitable[Asked]]) -> Asked:
        async with room:
            return await ask()

    return await asyncio.gather(*(one(ask) for ask in asking))


async def main(url: str) -> int:
    cases = load()
    outcomes = await all_of([lambda id=id, kind=kind: autobahn.ask(url, id, kind) for id, kind in cases.items()])  # type: ignore[misc]
    for outcome in outcomes:
        if not outcome.passed:
            print(f"Autobahn {outcome.id}: {outcome.behavior}, close {outcome.behavior_close}: {outcome.why}")
    counts = Counter(outcome.behavior for outcome in outcomes)
    listed = ", ".join(f"{count} {what.lower()}" for what, count in counts.most_common())
    big = sum(outcome.too_big for outcome in outcomes)
    failed = sum(not outcome.passed for outcome in outcomes)
    print(f"Autobahn's cases: {len(outcomes)} asked, {failed} failed ({listed}; {big} above the message limit and closed by 1009)")

    own = await all_of([lambda case=case: rfc6455.ask(url, case) for case in rfc6455.CASES])  # type: ignore[misc]
    wrong = [(name, fault) for name, fault in own if fault]
    for name, fault in wrong:
        print(f"RFC 6455, {name}: {fault}")
    print(f"RFC 6455, own cases: {len(own)} asked, {len(wrong)} failed")
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))

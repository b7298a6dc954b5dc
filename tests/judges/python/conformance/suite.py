"""The cases of the Autobahn test suite, read from its package. The suite is Python 2 and its own runner asks an echo server;
its cases are plain classes, and these are what is used: loaded here as they stand, and asked in `autobahn`.

A Python 2 string is octets. Here it is a string of characters up to 255, one for each octet: that is what decoding the
sources as Latin-1 makes of every literal."""

from __future__ import annotations

import binascii
import codecs
import re
import sys
from importlib.metadata import files
from types import ModuleType, SimpleNamespace
from typing import Any

PACKAGE = "autobahntestsuite"
# The categories that are about the protocol. 9 is about speed with messages of megabytes, 10 about the suite's own
# fragmenting, 12 and 13 about an extension that this server does not offer.
CATEGORIES = "1234567"
# So many cases the categories have in the pinned version: none is lost by how they are read.
COUNT = 246

NAME = re.compile(r"Case([1-7](?:_\d+)+)$")
PRINT = re.compile(r"^(\s*)print\b.*$", re.MULTILINE)
IMPORT = re.compile(r"^import binascii$", re.MULTILINE)
# A class of the old style has no `object` above it, and may stand after it.
OLD_STYLE = re.compile(r"\(object, Case, \)")

STATE_OPEN, STATE_CLOSING, STATE_CLOSED = range(3)


class Validator:
    """Stands for Autobahn's own: whether so much text is valid so far, and whether it ends with a whole character."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def validate(self, text: str) -> tuple[bool, bool]:
        try:
            self._decoder.decode(text.encode("latin-1"))
        except UnicodeDecodeError:
            return False, False
        return True, self._decoder.getstate()[0] == b""


def load() -> dict[str, type[Any]]:
    """All cases of `CATEGORIES` by their ids, such as `6.4.1`, in the suite's order."""
    stood = dict(sys.modules)
    protocol = SimpleNamespace(STATE_OPEN=STATE_OPEN, STATE_CLOSING=STATE_CLOSING, STATE_CLOSED=STATE_CLOSED)
    for name, content in (
        ("autobahn", {}),
        ("autobahn.websocket", {}),
        ("autobahn.websocket.protocol", {"WebSocketProtocol": protocol}),
        ("autobahn.websocket.utf8validator", {"Utf8Validator": Validator}),
    ):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__dict__.update(content)
    sources = [path for path in files(PACKAGE) or [] if re.fullmatch(rf"{PACKAGE}/case/case([{CATEGORIES}]_\w+)?\.py", str(path))]
    found: dict[str, type[Any]] = {}
    try:
        for path in sorted(sources, key=lambda path: path.stem):
            module = ModuleType(path.stem)
            sys.modules[path.stem] = module
            module.__dict__.update(
                xrange=range,
                unichr=chr,
                binascii=SimpleNamespace(b2a_hex=lambda text: binascii.b2a_hex(text.encode("latin-1")).decode()),
            )
            text = path.read_binary().decode("latin-1").replace("\r\n", "\n")
            text = OLD_STYLE.sub("(Case, )", IMPORT.sub("", PRINT.sub(r"\1pass", text)))
            exec(compile(text, str(path), "exec"), module.__dict__)
            for thing in list(module.__dict__.values()):
                for case in thing if isinstance(thing, list) else [thing]:
                    named = NAME.match(getattr(case, "__name__", ""))
                    if named and isinstance(case, type):
                        found[named[1].replace("_", ".")] = case
            if path.stem == "case":
                # The suite compares by pickling, which tells equal strings apart by where they are kept.
                module.Case.compare = lambda _, one, other: one == other
    finally:
        for name in set(sys.modules) - set(stood):
            if name.startswith(("autobahn", "case")):
                del sys.modules[name]
    if len(found) != COUNT:
        raise RuntimeError(f"{len(found)} cases were read, not {COUNT}")
    return dict(sorted(found.items(), key=lambda case: [int(number) for number in case[0].split(".")]))

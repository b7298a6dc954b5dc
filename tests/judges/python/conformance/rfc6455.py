"""Cases of our own, for what Autobahn's cannot ask of a server that is no echo, or do not ask at all: the opening handshake,
masking, lengths, how the server itself closes. Each is named by the section of RFC 6455 whose sentence it holds the server
to."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from websockets.exceptions import ProtocolError
from websockets.frames import Close

from .line import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Heard, Line, closing, frame

Ask = Callable[[str], Awaitable[None]]

LOBBY = b'{"type":"lobby","id":"still-here"}'
PROTOCOL_ERROR, NO_TEXT, TOO_BIG, NORMAL = 1002, 1007, 1009, 1000
MESSAGE_MAX = 8192


@dataclass(frozen=True)
class Case:
    """One question, with its section in the name."""

    name: str
    ask: Ask


async def ask(url: str, case: Case) -> tuple[str, str | None]:
    """The case's name, and what was wrong."""
    try:
        await case.ask(url)
    except (AssertionError, KeyError, ValueError, ProtocolError, OSError, TimeoutError, asyncio.IncompleteReadError) as fault:
        return case.name, f"{type(fault).__name__}: {fault}"
    return case.name, None


# What may come of octets that are sent after a good `hello`.


async def closed_by(line: Line, *codes: int) -> None:
    """The server closes with one of `codes` and then ends the TCP connection, without waiting for us to do so."""
    heard = await line.hear()
    assert heard.opcode is CLOSE, f"expected a Close frame, heard {heard}"
    code = Close.parse(heard.data).code
    assert code in codes, f"expected close code {codes}, heard {code}"
    line.send(closing(code))
    assert await line.end(), "7.1.1: the server did not end the TCP connection"


async def answers(line: Line, sent: bytes) -> Heard:
    """The server still answers, by one text frame."""
    line.send(sent)
    heard = await line.hear()
    assert heard.opcode is TEXT and heard.fin, f"expected a text, heard {heard}"
    return heard


async def lives(line: Line, request: bytes = LOBBY) -> None:
    """The connection goes on: a request is answered."""
    accepted = json.loads((await answers(line, frame(TEXT, request))).data)
    assert (accepted["type"], accepted["id"]) == ("accepted", "still-here"), f"answered by {accepted}"
    line.drop()


def fails(name: str, octets: bytes, *codes: int) -> Case:
    """The server must fail the connection for these octets."""

    async def asked(url: str) -> None:
        line = await Line.open(url)
        line.send(octets)
        await closed_by(line, *codes)
        line.drop()

    return Case(name, asked)


def goes_on(name: str, octets: bytes, *pongs: bytes) -> Case:
    """These octets are right: their pings are answered, in order, and the request in them too."""

    async def asked(url: str) -> None:
        line = await Line.open(url)
        line.send(octets)
        expected = list(pongs)
        answered = False
        while expected or not answered:
            heard = await line.hear()
            if heard.opcode is PONG:
                assert heard.data == expected[0], f"a pong for {expected[0]!r} carries {heard.data!r}"
                expected.pop(0)
            elif json.loads(heard.data)["type"] == "accepted":
                answered = True
        line.drop()

    return Case(name, asked)


def agrees(name: str, sent: bytes, *codes: int | None) -> Case:
    """The server answers a Close frame by one with one of `codes`, and ends the TCP connection."""

    async def asked(url: str) -> None:
        line = await Line.open(url)
        line.send(sent)
        heard = await line.hear()
        assert heard.opcode is CLOSE, f"expected a Close frame, heard {heard}"
        code = struct.unpack("!H", heard.data[:2])[0] if heard.data else None
        assert code in codes, f"expected close code {codes}, heard {code}"
        assert await line.end(), "7.1.1: the server did not end the TCP connection"
        line.drop()

    return Case(name, asked)


def handshake(name: str, headers: dict[str, str | None], *statuses: int, method: str = "GET", version: str = "HTTP/1.1") -> Case:
    """An opening handshake that must be answered by one of `statuses`."""

    async def asked(url: str) -> None:
        line = await Line.tcp(url)
        status, answered = await line.upgrade(url, headers, method=method, version=version)
        assert status in statuses, f"expected {statuses}, heard {status}"
        if "version" in name:
            assert answered.get("sec-websocket-version") == "13", "the versions that are spoken are not named"
        line.drop()

    return Case(name, asked)


async def accepts_the_key_of_the_example(url: str) -> None:
    line = await Line.tcp(url)
    status, answered = await line.upgrade(url, {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
    assert status == 101
    assert answered["upgrade"].lower() == "websocket" and "upgrade" in answered["connection"].lower()
    assert answered["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    line.drop()


async def chooses_its_subprotocol(url: str) -> None:
    await lives(await Line.open(url, headers={"Sec-WebSocket-Protocol": "chess.v3, fibfob.v1"}))


async def declines_every_extension(url: str) -> None:
    offered = "permessage-deflate; client_max_window_bits, x-unknown"
    await lives(await Line.open(url, headers={"Sec-WebSocket-Extensions": offered}))


async def takes_a_frame_octet_by_octet(url: str) -> None:
    line = await Line.open(url)
    for octet in frame(TEXT, LOBBY):
        line.send(bytes([octet]))
        await line.writer.drain()
        await asyncio.sleep(0)
    assert json.loads((await line.hear()).data)["id"] == "still-here"
    line.drop()


async def takes_what_comes_with_the_handshake(url: str) -> None:
    line = await Line.tcp(url)
    asking = asyncio.create_task(line.upgrade(url, {}))
    await asyncio.sleep(0)
    line.send(frame(TEXT, b'{"type":"hello","protocol":"fibfob.v1"}'))
    status, _ = await asking
    assert status == 101
    assert json.loads((await line.hear()).data)["type"] == "welcome"
    line.drop()


async def refuses_a_binary_message(url: str) -> None:
    line = await Line.open(url)
    refused = json.loads((await answers(line, frame(BINARY, LOBBY))).data)
    assert (refused["type"], refused["id"], refused["reason"]) == ("refused", None, "malformed"), f"{refused}"
    await lives(line)


async def joins_fragments_of_a_character(url: str) -> None:
    line = await Line.open(url)
    text = json.dumps({"type": "spectate", "id": "f", "code": "Zoë🚀"}, ensure_ascii=False).encode()
    for place, octet in enumerate(text):
        line.send(frame(TEXT if place == 0 else CONTINUATION, bytes([octet]), fin=place == len(text) - 1))
    refused = json.loads((await line.hear()).data)
    assert (refused["id"], refused["reason"]) == ("f", "bad-id"), f"{refused}"
    await lives(line)


async def takes_the_longest_message(url: str) -> None:
    await lives(await Line.open(url), b" " * (MESSAGE_MAX - len(LOBBY)) + LOBBY)


async def says_nothing_after_its_close(url: str) -> None:
    line = await Line.open(url)
    line.send(closing(NORMAL) + frame(TEXT, LOBBY) + frame(PING, b"late"))
    heard = await line.hear()
    assert heard.opcode is CLOSE, f"expected a Close frame, heard {heard}"
    assert await line.end(), "something came after the Close frame"
    line.drop()


FULL = bytes(range(125))

CASES: list[Case] = [
    Case("1.3 the key of the RFC's example is accepted as it says", accepts_the_key_of_the_example),
    handshake("4.1 a handshake by POST", {}, 400, 404, 405, method="POST"),
    handshake("4.1 a handshake in HTTP/1.0", {}, 400, 426, 505, version="HTTP/1.0"),
    handshake("4.2.1 no Upgrade", {"Upgrade": None}, 400, 426),
    handshake("4.2.1 an upgrade to something else", {"Upgrade": "h2c"}, 400, 426),
    handshake("4.2.1 no Connection", {"Connection": None}, 400, 426),
    handshake("4.2.1 names in other cases", {"Upgrade": "WebSocket", "Connection": "keep-alive, UPGRADE"}, 101),
    handshake("4.2.1 no key", {"Sec-WebSocket-Key": None}, 400),
    handshake("4.2.2 no version", {"Sec-WebSocket-Version": None}, 400, 426),
    handshake("4.4 a version that is not spoken", {"Sec-WebSocket-Version": "8"}, 426),
    handshake("4.2.2 no subprotocol that is spoken", {"Sec-WebSocket-Protocol": "chess.v3"}, 400),
    handshake("10.2 a page of another site", {"Origin": "https://elsewhere.example"}, 403),
    Case("4.2.2 the subprotocol is chosen among several", chooses_its_subprotocol),
    Case("9.1 an extension that is offered may be declined", declines_every_extension),
    Case("4.1 what follows the handshake at once is heard", takes_what_comes_with_the_handshake),
    fails("5.1 an unmasked text", frame(TEXT, LOBBY, mask=None), PROTOCOL_ERROR),
    fails("5.1 an unmasked ping", frame(PING, b"", mask=None), PROTOCOL_ERROR),
    goes_on("5.3 a mask of zeroes", frame(TEXT, LOBBY, mask=b"\0\0\0\0")),
    *(fails(f"5.2 reserved bit {bit}", frame(TEXT, LOBBY, rsv=1 << (3 - bit)), PROTOCOL_ERROR) for bit in (1, 2, 3)),
    fails("5.2 a reserved bit in a ping", frame(PING, rsv=4), PROTOCOL_ERROR),
    fails("5.2 a reserved bit in a continuation", frame(TEXT, b"{", fin=False) + frame(CONTINUATION, b"}", rsv=4), PROTOCOL_ERROR),
    *(fails(f"5.2 reserved opcode {code:#x}", frame(code, b""), PROTOCOL_ERROR) for code in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)),
    fails("5.2 a length of 64 bits with the highest set", frame(BINARY, length=1 << 63 | 1, width=8), PROTOCOL_ERROR, TOO_BIG),
    fails("5.2 a frame that announces gigabytes", frame(BINARY, length=1 << 40, width=8), TOO_BIG),
    Case("5.2 a frame in single octets", takes_a_frame_octet_by_octet),
    goes_on("5.4 fragments with a ping between", b"".join([
        frame(TEXT, LOBBY[:9], fin=False), frame(PING, b"between"), frame(CONTINUATION, b"", fin=False),
        frame(PING, b""), frame(CONTINUATION, LOBBY[9:]),
    ]), b"between", b""),
    fails("5.4 a continuation of nothing", frame(CONTINUATION, LOBBY), PROTOCOL_ERROR),
    fails("5.4 a continuation of nothing, not the last", frame(CONTINUATION, LOBBY, fin=False), PROTOCOL_ERROR),
    fails("5.4 a text inside a fragmented text", frame(TEXT, b"{", fin=False) + frame(TEXT, LOBBY), PROTOCOL_ERROR),
    fails("5.4 a continuation of a finished text", frame(TEXT, b"{", fin=False) + frame(CONTINUATION, b"", fin=False)
          + frame(BINARY, b"}"), PROTOCOL_ERROR),
    goes_on("5.5.2 a ping of 125 octets", frame(PING, FULL) + frame(TEXT, LOBBY), FULL),
    goes_on("5.5.2 a ping of nothing", frame(PING) + frame(TEXT, LOBBY), b""),
    goes_on("5.5.3 a pong that nobody asked for", frame(PONG, b"hello?") + frame(TEXT, LOBBY)),
    fails("5.5 a ping of 126 octets", frame(PING, FULL + b"!"), PROTOCOL_ERROR),
    fails("5.5 a pong of 126 octets", frame(PONG, FULL + b"!"), PROTOCOL_ERROR),
    fails("5.5 a fragmented ping", frame(PING, b"half", fin=False), PROTOCOL_ERROR),
    fails("5.5 a fragmented Close", frame(CLOSE, struct.pack("!H", NORMAL), fin=False), PROTOCOL_ERROR),
    Case("5.6 a binary message is refused and harms nobody", refuses_a_binary_message),
    Case("5.6 a character that is split over frames", joins_fragments_of_a_character),
    Case("5.6 the longest message that is allowed", takes_the_longest_message),
    fails("7.4.1 a message one octet too long", frame(TEXT, b" " * (MESSAGE_MAX + 1)), TOO_BIG),
    fails("7.4.1 fragments that are too long together", frame(TEXT, b" " * 5000, fin=False) + frame(CONTINUATION, b" " * 5000), TOO_BIG),
    fails("8.1 a text that is not UTF-8 from the first octet on", frame(TEXT, b"\xff" + LOBBY), NO_TEXT),
    fails("8.1 a text that is not UTF-8 at its last octet", frame(TEXT, LOBBY + b"\xc3"), NO_TEXT),
    fails("8.1 a fragment that cannot be mended", frame(TEXT, b"{\xed\xa0\x80", fin=False), NO_TEXT),
    fails("8.1 a character that the last fragment leaves unfinished", frame(TEXT, b"{\xf0\x9f", fin=False)
          + frame(CONTINUATION, b"\x9a"), NO_TEXT),
    agrees("5.5.1 a Close without a code", closing(), None, NORMAL),
    *(agrees(f"7.4 close code {code}", closing(code), code, NORMAL)
      for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999)),
    agrees("5.5.1 a reason of 123 octets", closing(NORMAL, b"r" * 123), NORMAL),
    agrees("5.5.1 a Close inside a fragmented text", frame(TEXT, b"{", fin=False) + closing(NORMAL), NORMAL),
    *(agrees(f"7.4 close code {code}, which must not be sent", closing(code), PROTOCOL_ERROR)
      for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535)),
    agrees("5.5.1 a Close of one octet", frame(CLOSE, b"\x03"), PROTOCOL_ERROR),
    agrees("5.5.1 a Close of 126 octets", closing(NORMAL, b"r" * 124), PROTOCOL_ERROR),
    agrees("5.5.1 a reason that is not UTF-8", closing(NORMAL, b"\xed\xa0\x80"), PROTOCOL_ERROR, NO_TEXT),
    Case("5.5.1 nothing is said after the Close", says_nothing_after_its_close),
]

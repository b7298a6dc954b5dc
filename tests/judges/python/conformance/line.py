"""A TCP connection on which any octets may be sent, and on which what comes back is read strictly. What is sent is built
here, as no library sends wrong frames; what is heard is read by `websockets`, which forgives nothing."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import secrets
import socket
import struct
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from websockets.frames import Frame, Opcode

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
# Bounds every wait; generous, as machines are shared.
WITHIN_S = 30.0
# No frame of the server is longer.
FRAME_MAX = 1 << 20

TEXT, BINARY, CLOSE, PING, PONG, CONTINUATION = Opcode.TEXT, Opcode.BINARY, Opcode.CLOSE, Opcode.PING, Opcode.PONG, Opcode.CONT


def masked(payload: bytes, mask: bytes) -> bytes:
    """5.3: each octet with the next of the mask's four."""
    return bytes(octet ^ mask[place % 4] for place, octet in enumerate(payload))


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    rsv: int = 0,
    mask: bytes | None = b"\x01\xfe\x80\x7f",
    length: int | None = None,
    width: int | None = None,
) -> bytes:
    """5.2: one frame. `length` is what its header claims where that is not the truth; `width` is how many octets the length
    takes (0, 2 or 8) where that is not the fewest."""
    claimed = len(payload) if length is None else length
    wide = width if width is not None else 0 if claimed < 126 else 2 if claimed < 1 << 16 else 8
    first = bytes([fin << 7 | rsv << 4 | opcode])
    small = {0: claimed, 2: 126, 8: 127}[wide]
    second = bytes([(mask is not None) << 7 | small])
    extended = {0: b"", 2: struct.pack("!H", claimed & 0xFFFF), 8: struct.pack("!Q", claimed)}[wide]
    return first + second + extended + (b"" if mask is None else mask) + (payload if mask is None else masked(payload, mask))


def closing(code: int | None = None, reason: bytes = b"") -> bytes:
    """5.5.1: a Close frame."""
    return frame(CLOSE, (b"" if code is None else struct.pack("!H", code)) + reason)


@dataclass(frozen=True)
class Heard:
    """A frame of the server, checked."""

    opcode: Opcode
    data: bytes
    fin: bool


class Line:
    """One connection, from its TCP handshake on."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def tcp(cls, url: str) -> Line:
        address = urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(reader, writer)

    @classmethod
    async def open(cls, url: str, *, hello: bool = True, headers: dict[str, str] | None = None) -> Line:
        """After a good opening handshake, and a good `hello` if asked for."""
        line = await cls.tcp(url)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        status, answered = await line.upgrade(url, {"Sec-WebSocket-Key": key, **(headers or {})})
        assert status == 101, f"the handshake was answered by {status}"
        expected = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        assert answered.get("sec-websocket-accept") == expected, "4.2.2: the Sec-WebSocket-Accept is another key's"
        assert answered.get("sec-websocket-protocol") == "fibfob.v1", "4.2.2: the subprotocol was not confirmed"
        assert "sec-websocket-extensions" not in answered, "9.1: an extension that was not offered"
        if hello:
            line.send(frame(TEXT, b'{"type":"hello","protocol":"fibfob.v1"}'))
            assert json.loads((await line.hear()).data)["type"] == "welcome"
        return line

    async def upgrade(
        self, url: str, headers: dict[str, str | None], *, method: str = "GET", version: str = "HTTP/1.1"
    ) -> tuple[int, dict[str, str]]:
        """4.1: the client's opening handshake; a header that is None is left out. Gives the status and the headers."""
        address = urlsplit(url)
        sent = {
            "Host": address.netloc,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(secrets.token_bytes(16)).decode(),
            "Sec-WebSocket-Protocol": "fibfob.v1",
            **headers,
        }
        lines = [f"{method} {address.path} {version}", *(f"{name}: {value}" for name, value in sent.items() if value is not None)]
        self.send("\r\n".join([*lines, "", ""]).encode())
        async with asyncio.timeout(WITHIN_S):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, *fields = head.split("\r\n")
        pairs = (field.split(":", 1) for field in fields if ":" in field)
        return int(status.split()[1]), {name.strip().lower(): value.strip() for name, value in pairs}

    def send(self, octets: bytes) -> None:
        self.writer.write(octets)

    async def hear(self) -> Heard:
        """The next frame. Raises `ProtocolError` for a wrong one, `IncompleteReadError` or `OSError` at the end."""

        def octets(count: int) -> Generator[int, bytes, bytes]:
            return (yield count)

        parsing: Any = Frame.parse(octets, mask=False, max_size=FRAME_MAX)  # type: ignore[arg-type]
        async with asyncio.timeout(WITHIN_S):
            wanted = next(parsing)
            while True:
                got = await self.reader.readexactly(wanted)
                try:
                    wanted = parsing.send(got)
                except StopIteration as parsed:
                    return Heard(parsed.value.opcode, bytes(parsed.value.data), parsed.value.fin)

    async def end(self) -> bool:
        """Whether the server ends the TCP connection without another octet."""
        try:
            async with asyncio.timeout(WITHIN_S):
                return await self.reader.read(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    def drop(self) -> None:
        self.writer.transport.abort()

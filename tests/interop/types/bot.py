"""A bot on the generated models: it answers messages with the first legal move. `mypy --strict` checks it."""

from fibfob import (
    CommandId,
    FrameMessage,
    FrameMoved,
    LegalMessage,
    LegalRequest,
    PlayRequest,
    RefusedMessage,
    ServerMessage,
    SnapshotMessage,
)


def answer(text: str) -> LegalRequest | PlayRequest | None:
    """The request that follows from a server's message, if any does."""
    message = ServerMessage.model_validate_json(text).root
    if isinstance(message, SnapshotMessage):
        return LegalRequest(type="legal", id=CommandId("legal"), match=message.match)
    if isinstance(message, LegalMessage):
        first = message.legal.root[0].root
        if isinstance(first, str):
            return PlayRequest(
                type="play", id=message.id, match=message.match, expecting=message.version, move=first
            )
    if isinstance(message, RefusedMessage):
        raise ValueError(f"{message.reason.value}: {message.message}")
    return None


def position_after(text: str) -> str | None:
    """The position that a frame of a move leads to."""
    message = ServerMessage.model_validate_json(text).root
    if isinstance(message, FrameMessage) and isinstance(message.root, FrameMoved):
        change = message.root.change
        return None if change is None else change.position
    return None


if __name__ == "__main__":
    import sys

    for line in sys.stdin:
        print(position_after(line) or "")

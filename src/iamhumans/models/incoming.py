"""The body of a response as it comes: one JSON text, or a stream of events."""

from typing import Any

from iamhumans.models.sse import Assembly, EventReader, is_stream

LARGEST_BODY = 4_000_000  # bytes
_LARGEST_STREAM = 64_000_000  # a stream says around each word what a body says once
_SNIFFED = 100


class Incoming:
    """Takes the pieces of a body.

    Attributes:
        raw: The bytes of a body that is no stream.
        assembly: The answer of a stream, as far as it came; ``None`` if it is none.
        is_too_large: Whether more came than is read.
    """

    def __init__(self, assembly: type[Assembly], content_type: str, *, may_stream: bool) -> None:
        self.raw = bytearray()
        self.assembly: Assembly | None = None
        self.is_too_large = False
        self._make, self._content_type = assembly, content_type
        self._undecided = may_stream
        self._events, self._size = EventReader(), 0

    @property
    def is_complete(self) -> bool:
        """Whether nothing that matters follows: the stream said so, or holds an error."""
        return self.assembly is not None and (self.assembly.closed or self.assembly.error is not None)

    def feed(self, piece: bytes) -> None:
        """Take a piece."""
        self._size += len(piece)
        if self.assembly is None:
            self.raw += piece
            if self._undecided and self.raw.strip():
                self._undecided = False
                if is_stream(self._content_type, bytes(self.raw[:_SNIFFED])):
                    self.assembly, piece = self._make(), bytes(self.raw)
        if self.assembly is not None:
            for event in self._events.feed(piece):
                self.assembly.add(event)
        self.is_too_large = self._size > (LARGEST_BODY if self.assembly is None else _LARGEST_STREAM)

    def end(self) -> None:
        """Take the end."""
        if self.assembly is not None:
            for event in self._events.end():
                self.assembly.add(event)

    def so_far(self) -> dict[str, Any]:
        """What a stream has brought, in the form of a whole body; empty for any other body."""
        return {} if self.assembly is None else self.assembly.body()

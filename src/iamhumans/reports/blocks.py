"""What a report is made of, whatever it is printed as: headings, paragraphs, lists, tables.

A report is a list of blocks. Its texts are plain and may hold foreign text: each renderer makes them harmless for where
they go, and wraps them to the width that there is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Tone = Literal["plain", "strong", "faint", "good", "bad", "caution", "marked"]
"""How a text is meant. A terminal shows it as a colour; no output depends on it, but ``marked`` text has brackets."""
MARKS = ("⟦", "⟧")
"""What is put around marked text where there are no colours to rely on."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text with its tone."""

    text: str
    tone: Tone = "plain"


Line: TypeAlias = str | Span | tuple[Span, ...]
"""One line of text, or its pieces."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of what follows. ``level`` 1 is the report's own title."""

    text: Line
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences. ``indent`` sets it in, in steps of two columns."""

    text: Line
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that somebody wrote, with its line ends: a turn of a conversation, a reply, an answer of a model."""

    text: Line


@dataclass(frozen=True, slots=True)
class Items:
    """A list of short texts."""

    items: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of short cells, as many in each row as there are heads.

    The columns in ``right`` are set flush right, as figures are. ``note_column`` has running text, which is wrapped.
    The first ``names`` columns hold names, which are set on a line above their row where the table is too wide.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    title: str = ""
    right: frozenset[int] = frozenset()
    note_column: int | None = None
    names: int = 0


Block: TypeAlias = Heading | Paragraph | Passage | Items | Table
Blocks: TypeAlias = Sequence[Block]


def plain_text(line: Line) -> str:
    """The text of a line without tones; marked text has its brackets."""
    if isinstance(line, str):
        return line
    if isinstance(line, Span):
        return line.text.join(MARKS) if line.tone == "marked" else line.text
    return "".join(map(plain_text, line))

"""What results have in common: the same content as text, Markdown, HTML and JSON."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iamhumans.reports.blocks import Blocks


class Result:
    """A result that can be shown. Subclasses say what their blocks and their JSON are."""

    __slots__ = ()

    @abstractmethod
    def blocks(self) -> Blocks:
        """Headings, paragraphs and tables."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The content for programs, of JSON's types only."""

    def to_json(self) -> str:
        """The content for programs, as one JSON document. The same content gives the same bytes."""
        from iamhumans.text.json_text import json_text

        return json_text(self.to_dict(), indent=2)

    def to_markdown(self) -> str:
        """The content for people, as Markdown that is safe in a comment of a pull request."""
        from iamhumans.reports.markdown import blocks_markdown

        return blocks_markdown(self.blocks())

    def to_text(self, *, width: int = 80, color: bool = False) -> str:
        """The content for people, as lines of a terminal that is ``width`` columns wide."""
        from iamhumans.reports.terminal import blocks_text

        return blocks_text(self.blocks(), width=width, color=color)

    def to_html(self) -> str:
        """The content for people, as a page that needs no other file."""
        from iamhumans.reports.html import page_html

        return page_html(self.blocks())

    def __str__(self) -> str:
        """The text, 80 columns wide."""
        return self.to_text()

    def _repr_html_(self) -> str:
        from iamhumans.reports.html import blocks_html

        return blocks_html(self.blocks())

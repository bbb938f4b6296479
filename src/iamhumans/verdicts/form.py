"""What an answer of a judge looks like: the one with a verdict, or the one with a choice between two replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from iamhumans.text import YamlValue
from iamhumans.verdicts.blocks import BlockPatterns

ReadValue: TypeAlias = Callable[[YamlValue, str, set[str]], object]


class Form:
    """The keys of an answer, and how to read and find them.

    Args:
        noun: What the answer is called in messages.
        sections: The parts of the answer, which say something, by their section; ``""`` is the top level.
        readers: How each value is read. None of these keys may be given twice with different values.
        mark: The key that every whole answer has at its margin.
        prose: The key of the running text at the end.
    """

    def __init__(
        self,
        noun: str,
        sections: Mapping[str, Sequence[str]],
        readers: Mapping[str, ReadValue],
        *,
        mark: str,
        prose: str,
    ) -> None:
        self.noun, self.readers, self.mark, self.prose = noun, readers, mark, prose
        self.sections = {name: names for name, names in sections.items() if name}
        self.parts = tuple(part for names in sections.values() for part in names)
        self.section_of = {part: name for name, names in self.sections.items() for part in names}
        self.headings = (*self.sections, "evidence") if self.sections else ()
        self.top_keys = frozenset((*(key for key in readers if key not in self.section_of), *self.headings, prose))
        self.known = self.top_keys.union(self.parts)
        self.patterns = BlockPatterns(("case_id", "check", *self.headings, *self.parts), self.parts, mark)

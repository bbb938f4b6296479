"""The models that answered, in blocks."""

from collections.abc import Iterator, Sequence

from iamhumans.decisions.answering import model_warnings
from iamhumans.reports.blocks import Block, Paragraph
from iamhumans.reports.figures import counted
from iamhumans.runs.journal.queries import AnsweringModel
from iamhumans.text import one_line


def answering_blocks(answering: Sequence[AnsweringModel]) -> Iterator[Block]:
    """Every model that answered, and a warning where it is not the one that was asked for."""
    if answering:
        named = (f"{one.model} ({one.provider}, {counted(one.answers, 'answer')})" for one in answering)
        yield Paragraph(one_line(f"Models that answered: {', '.join(named)}.", 600))
    yield from (Paragraph(one_line(warning, 400)) for warning in model_warnings(answering))

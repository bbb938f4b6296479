"""Checking one model: what it takes, what it costs, and the table that says so."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from iamhumans.api.loop import synchronous
from iamhumans.api.results import Result
from iamhumans.models import CallableModel, Config, load_config
from iamhumans.models.chat import ChatModel, Usage
from iamhumans.models.checking import MOST_TOKENS, QUESTION, Fact, check, open_to_check
from iamhumans.reports.blocks import Block, Blocks, Heading, Items, Paragraph
from iamhumans.runs.spending import cost_in_words, cost_of, cost_of_call, prompt_tokens
from iamhumans.text import one_line


@dataclass(frozen=True)
class ModelCheck(Result):
    """What one call to a model showed.

    Attributes:
        model: The name that was given.
        before: What the call was expected to cost, as a sentence.
        facts: What was found: ``what``, ``state``, and ``well`` (``None`` where it is neither good nor bad).
        works: Whether the model answered.
        cost: What the call cost, as far as it is known; ``None`` if nothing is known.
        table: A table to paste into ``iamhumans.toml``; empty if the model did not answer, or is not on a server.
    """

    model: str
    before: str
    facts: tuple[Fact, ...]
    works: bool
    cost: float | None = None
    table: str = ""

    def blocks(self) -> Blocks:
        """The facts, and the table."""
        lines = tuple(one_line(f"{fact.what}: {fact.state}", 400) for fact in self.facts)
        table: list[Block] = (
            [Paragraph("For iamhumans.toml:"), Items(tuple(self.table.splitlines()))] if self.table else []
        )
        return [Heading(one_line(f"The model {self.model}")), Paragraph(self.before), Items(lines), *table]

    def to_dict(self) -> dict[str, Any]:
        """The attributes, of JSON's types only."""
        facts = [fact._asdict() for fact in self.facts]
        return {**asdict(self), "facts": facts}


async def acheck_model(
    model: str | Callable[..., Any],
    *,
    config: str | Path | None = None,
    announce: Callable[[str], object] = lambda _: None,
) -> ModelCheck:
    """Ask a model one short question, and report which settings it accepts. At most one call is paid for.

    Args:
        model: The name of a model, or a function from messages to text.
        config: The file with tables of models; the nearest ``iamhumans.toml`` if not given.
        announce: Called with a sentence about the cost before anything is sent.

    Returns:
        The check. If the model fails, no error is raised, and ``works`` is false.

    Raises:
        IamhumansError: The model cannot be opened, for example because its key is not set.

    Example:
        >>> ih.check_model(lambda messages: "Hello.").works
        True
    """
    loaded = Config()
    if isinstance(model, str):
        loaded = load_config(None if config is None else Path(config), Path.cwd(), os.environ)
        opened: ChatModel = open_to_check(model, loaded)
    else:
        opened = CallableModel(model)
    identity = opened.identity
    before = _expected(opened)
    announce(before)
    found = await check(opened, identity.name, loaded)
    outcome = found.reception or found.failure
    cost = None if outcome is None else cost_of_call(outcome, identity.prices)
    facts = list(found.facts)
    if cost is not None and (cost.known is not None or cost.at_least):
        facts.append(Fact("cost of this call", cost_in_words(cost.known, at_least=cost.at_least)))
    return ModelCheck(identity.name, before, tuple(facts), found.works, cost.known if cost else None, found.table)


check_model = synchronous(acheck_model)


def _expected(model: ChatModel) -> str:
    identity, prompt = model.identity, prompt_tokens(QUESTION)
    most = identity.settings.get("max_tokens", MOST_TOKENS)
    cost = cost_of(Usage(prompt, completion=most), identity.prices).known
    price = "its price is not known" if cost is None else f"at most {cost:.4g}"
    called = f"One call to {identity.name} ({identity.provider})"
    return one_line(f"{called}: about {prompt} prompt tokens, at most {most:,} tokens of answer, {price}.", 300)

"""Small helpers for tests that ask a model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from iamhumans.models import ChatModel, ModelFailure, Reception, open_model, read_config
from iamhumans.models.server_model import ServerModel
from iamhumans.prompts import Message, Request

Result = TypeVar("Result")

KEY = "sk-test-0123456789abcdef"
REQUEST = Request((Message("system", "You judge."), Message("user", "hello")))
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
STRUCTURED = Request(REQUEST.messages, SCHEMA)


def with_model(model: ChatModel, work: Callable[[ChatModel], Awaitable[Result]]) -> Result:
    """What ``work`` makes of a model, in a loop of its own."""

    async def run() -> Result:
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(run())


def ask(model: ChatModel, request: Request = REQUEST) -> Reception:
    """One answer."""
    return with_model(model, lambda model: model.send(request))


def ask_times(model: ChatModel, times: int, request: Request = REQUEST) -> list[Reception]:
    """Several answers, one call after the other."""

    async def work(model: ChatModel) -> list[Reception]:
        return [await model.send(request) for _ in range(times)]

    return with_model(model, work)


def ask_at_once(model: ChatModel, times: int, request: Request = REQUEST) -> list[Reception]:
    """Several answers, all calls at once."""

    async def work(model: ChatModel) -> list[Reception]:
        return await asyncio.gather(*(model.send(request) for _ in range(times)))

    return with_model(model, work)


def failure(model: ChatModel, request: Request = REQUEST) -> ModelFailure:
    """The failure that a call ends with."""
    try:
        reception = ask(model, request)
    except ModelFailure as error:
        return error
    raise AssertionError(f"the call brought {reception.answer.text!r}")


def habits_of(model: ChatModel) -> dict[str, Any]:
    """What a model has learned of its server."""
    assert isinstance(model, ServerModel)
    return model.habits.to_dict()


def table(folder: Path, base_url: str, *lines: str, environ: Mapping[str, str] | None = None) -> ChatModel:
    """The model of a table for a server without a key."""
    path = folder / "iamhumans.toml"
    path.write_text("\n".join(["[models.server]", f'base_url = "{base_url}"', 'model = "tiny"', *lines]))
    return open_model("server", read_config(path), environ=dict(environ or {}))


def openai(base_url: str) -> ChatModel:
    """``openai/gpt-test`` at another address."""
    return open_model("openai/gpt-test", environ={"OPENAI_API_KEY": KEY, "IAMHUMANS_OPENAI_BASE_URL": base_url})


def anthropic(base_url: str) -> ChatModel:
    """``anthropic/claude-test`` at another address."""
    return open_model(
        "anthropic/claude-test", environ={"ANTHROPIC_API_KEY": KEY, "IAMHUMANS_ANTHROPIC_BASE_URL": base_url}
    )

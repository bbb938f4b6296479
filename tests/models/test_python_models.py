"""``python/module:function``: plain and async functions, and all they can do wrong."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.models.asking import REQUEST, ask, ask_at_once, failure

from iamhumans.errors import CommandError
from iamhumans.models import CallableModel, ChatModel, FailureKind, open_model

NUMBERS = count()


@pytest.fixture(autouse=True)
def same_path() -> Iterator[None]:
    before = list(sys.path)
    yield
    sys.path[:] = before


def model(folder: Path, code: str, name: str = "reply") -> ChatModel:
    """A function in a module that no other test has imported."""
    module = f"subject_{next(NUMBERS)}"
    (folder / f"{module}.py").write_text(code)
    return open_model(f"python/{module}:{name}", environ={"OPENAI_API_KEY": "sk-secret-secret"}, folder=folder)


def test_a_function_gets_the_messages_and_returns_the_reply(tmp_path: Path) -> None:
    code = "def reply(messages): return f\"{[m['role'] for m in messages]} {messages[-1]['content']}\""
    assert ask(model(tmp_path, code)).answer.text == "['system', 'user'] hello"


def test_a_coroutine_function_runs_in_the_loop(tmp_path: Path) -> None:
    code = "import asyncio\nasync def reply(messages):\n    await asyncio.sleep(0)\n    return 'later'"
    assert ask(model(tmp_path, code)).answer.text == "later"


def test_an_object_with_an_async_call_is_awaited(tmp_path: Path) -> None:
    code = "class Bot:\n    async def __call__(self, messages): return 'bot'\nreply = Bot()"
    assert ask(model(tmp_path, code)).answer.text == "bot"


def test_a_method_of_a_class_can_be_named(tmp_path: Path) -> None:
    code = "class Bot:\n    @staticmethod\n    def answer(messages): return 'bot'"
    assert ask(model(tmp_path, code, "Bot.answer")).answer.text == "bot"


def test_plain_functions_run_beside_each_other(tmp_path: Path) -> None:
    code = (
        "import threading\ngate = threading.Barrier(20)\ndef reply(messages):\n    gate.wait(20)\n    return 'all here'"
    )
    assert len(ask_at_once(model(tmp_path, code), 20)) == 20


@pytest.mark.parametrize("raised", ["ValueError('bad')", "SystemExit(3)", "KeyboardInterrupt()", "StopIteration()"])
@pytest.mark.parametrize("start", ["def", "async def"])
def test_a_mistake_in_a_function_is_a_failed_call_that_is_not_repeated(tmp_path: Path, raised: str, start: str) -> None:
    if start == "async def" and raised.startswith(("System", "Keyboard")):
        pytest.skip("a coroutine that ends the program ends the program")
    failed = failure(model(tmp_path, f"{start} reply(messages): raise {raised}"))
    assert not failed.may_pass


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        ("TimeoutError()", FailureKind.SERVER_ERROR),
        ("ConnectionError()", FailureKind.CONNECTION),
        ("type('Busy', (Exception,), {'__module__': 'some_client'})()", FailureKind.SERVER_ERROR),
    ],
)
@pytest.mark.parametrize("start", ["def", "async def"])
def test_what_may_pass_is_repeated(tmp_path: Path, raised: str, kind: FailureKind, start: str) -> None:
    failed = failure(model(tmp_path, f"{start} reply(messages): raise {raised}"))
    assert (failed.kind, failed.may_pass) == (kind, True)


def test_a_key_in_an_exception_is_masked(tmp_path: Path) -> None:
    failed = failure(model(tmp_path, "def reply(messages): raise ValueError('sk-secret-secret')"))
    assert "secret-secret" not in failed.message


@pytest.mark.parametrize("value", ["None", "7", "b'bytes'", "['a']"])
def test_a_reply_that_is_no_string_is_a_failed_call_that_is_not_repeated(tmp_path: Path, value: str) -> None:
    assert not failure(model(tmp_path, f"def reply(messages): return {value}")).may_pass


def test_a_function_cannot_change_the_request(tmp_path: Path) -> None:
    code = "def reply(messages):\n    messages[0]['content'] = 'changed'\n    messages.clear()\n    return 'ok'"
    ask(model(tmp_path, code))
    assert REQUEST.messages[0].content == "You judge."


def test_a_caller_can_give_up_on_a_function_that_hangs(tmp_path: Path) -> None:
    opened = model(tmp_path, "import time\ndef reply(messages): time.sleep(600)")

    async def call() -> None:
        async with asyncio.timeout(0.05):
            await opened.send(REQUEST)

    with pytest.raises(TimeoutError):
        asyncio.run(call())


@pytest.mark.parametrize(
    "words", ["module", "module:", ":f", "a b:f", "no_such_module_here:f", "json:nothing", "json:decoder"]
)
def test_what_cannot_be_called_is_told_before_any_call(tmp_path: Path, words: str) -> None:
    with pytest.raises(CommandError):
        open_model(f"python/{words}", environ={}, folder=tmp_path)


@pytest.mark.parametrize("code", ["1 / 0", "raise SystemExit", "import no_such_module_here", "def ("])
def test_a_module_that_cannot_be_imported_is_told(tmp_path: Path, code: str) -> None:
    with pytest.raises(CommandError, match="cannot be imported"):
        model(tmp_path, code)


def test_a_file_of_the_folder_does_not_replace_an_installed_module(tmp_path: Path) -> None:
    (tmp_path / "colorsys.py").write_text("raise SystemExit('taken over')")
    open_model("python/colorsys:rgb_to_hsv", environ={}, folder=tmp_path)


def test_a_changed_module_is_another_subject(tmp_path: Path) -> None:
    first = model(tmp_path, "def reply(messages): return 'a'").identity.settings
    second = model(tmp_path, "def reply(messages): return 'b'").identity.settings
    assert first != second


# Functions that a Python program hands over


def shout(messages: list[dict[str, str]]) -> str:
    return messages[-1]["content"].upper()


def test_a_plain_function_is_a_model() -> None:
    model = CallableModel(shout)
    assert ask(model).answer.text == "HELLO"
    assert (model.identity.name, model.identity.provider) == ("shout", "python")


def test_an_async_function_is_a_model() -> None:
    async def later(messages: list[dict[str, str]]) -> str:
        await asyncio.sleep(0)
        return f"{len(messages)} messages"

    assert ask(CallableModel(later)).answer.text == "2 messages"


def test_name_and_version_identify_a_function() -> None:
    one, same = (CallableModel(shout, name="loud", version="1").identity for _ in range(2))
    assert one == same
    assert one.cacheable
    assert one != CallableModel(shout, name="loud", version="2").identity
    assert one != CallableModel(shout, name="louder", version="1").identity


def test_a_function_without_a_version_shares_no_results() -> None:
    model = CallableModel(shout)
    assert not model.identity.cacheable
    assert model.identity.settings == model.identity.settings
    assert model.identity.settings != CallableModel(shout).identity.settings


def test_every_other_model_is_cacheable(tmp_path: Path) -> None:
    assert model(tmp_path, "def reply(messages): return 'a'").identity.cacheable


@pytest.mark.parametrize("name", ["  ", "a\nb", "a\x1b[2J"])
def test_a_name_that_cannot_be_printed_is_refused(name: str) -> None:
    with pytest.raises(CommandError) as caught:
        CallableModel(shout, name=name)
    assert caught.value.message.isprintable()


def test_what_is_not_a_function_is_refused() -> None:
    with pytest.raises(CommandError, match="function"):
        CallableModel("shout")  # type: ignore[arg-type]


def test_a_function_of_yours_fails_like_any_model() -> None:
    def fails(messages: list[dict[str, str]]) -> str:
        raise ValueError("no luck")

    assert failure(CallableModel(fails)).kind is FailureKind.BAD_REQUEST
    assert failure(CallableModel(lambda messages: 7)).kind is FailureKind.BAD_REQUEST


def test_a_function_has_a_deadline() -> None:
    async def hangs(messages: list[dict[str, str]]) -> str:
        await asyncio.sleep(60)
        return ""

    assert failure(CallableModel(hangs, timeout=0.05)).kind is FailureKind.TIMEOUT


def test_a_cancellation_inside_a_function_is_its_failure() -> None:
    async def cancels(messages: list[dict[str, str]]) -> str:
        raise asyncio.CancelledError

    assert failure(CallableModel(cancels)).kind is FailureKind.SERVER_ERROR


def test_a_caller_can_cancel_a_function() -> None:
    async def hangs(messages: list[dict[str, str]]) -> str:
        await asyncio.sleep(60)
        return ""

    async def call() -> None:
        task = asyncio.create_task(CallableModel(hangs).send(REQUEST))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(call())


def test_a_function_that_repeats_a_key_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-secret-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    failed = failure(CallableModel(lambda messages: f"it is {secret}"))
    assert failed.kind is FailureKind.SECRET_ECHOED
    assert secret not in repr(failed)


def test_one_function_works_in_two_loops() -> None:
    model = CallableModel(shout)
    assert [ask(model).answer.text for _ in range(2)] == ["HELLO", "HELLO"]

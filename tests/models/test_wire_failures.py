"""Every way in which a server can fail a call, by a server that does it."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from tests.models.asking import KEY, REQUEST, anthropic, ask, ask_times, failure, openai, table
from tests.servers import (
    Behaviour,
    ChatServer,
    cut,
    drop,
    echo_headers,
    empty,
    hang,
    large,
    raw,
    redirect,
    refuse,
    say,
)

from iamhumans.models import FailureKind, ModelFailure, Usage, open_model
from iamhumans.models.redaction import Redactor

QUOTA = refuse(429, "You exceeded your current quota.", type="insufficient_quota", code="insufficient_quota")
SPENT = refuse(429, "limit", type="rate_limit_error", details={"error_code": "enforced_spend_limit_reached"})
TOO_LONG = refuse(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded")
LLAMA_TOO_LONG = refuse(400, "the request exceeds the available context size", type="exceed_context_size_error")
FILTERED = refuse(400, "The response was filtered due to the prompt.", code="content_filter")
FLAGGED = refuse(403, "This model requires moderation and your input was flagged.")
NO_MODEL = refuse(400, "gpt-9 is not a valid model ID")
OVERLOADED = refuse(503, "The server is overloaded.")

REFUSALS = [
    (refuse(401), FailureKind.AUTHENTICATION),
    (refuse(403), FailureKind.AUTHENTICATION),
    (refuse(404), FailureKind.UNKNOWN_MODEL),
    (NO_MODEL, FailureKind.UNKNOWN_MODEL),
    (refuse(400, "model 'x' not found"), FailureKind.UNKNOWN_MODEL),
    (refuse(400), FailureKind.BAD_REQUEST),
    (refuse(402), FailureKind.BAD_REQUEST),
    (QUOTA, FailureKind.BAD_REQUEST),
    (SPENT, FailureKind.BAD_REQUEST),
    (TOO_LONG, FailureKind.CONTEXT_LENGTH),
    (LLAMA_TOO_LONG, FailureKind.CONTEXT_LENGTH),
    (refuse(400, "prompt is too long: 300000 tokens > 200000 maximum"), FailureKind.CONTEXT_LENGTH),
    (refuse(413), FailureKind.CONTEXT_LENGTH),
    (refuse(400, "The input token count (1100000) exceeds the maximum of 1048576."), FailureKind.CONTEXT_LENGTH),
    (refuse(422, "`inputs` tokens + `max_new_tokens` must be <= 4096."), FailureKind.CONTEXT_LENGTH),
    (refuse(400, "input length and `max_tokens` exceed context limit: 190000 + 20000"), FailureKind.CONTEXT_LENGTH),
    (refuse(400, "Range of input length should be [1, 30720]"), FailureKind.CONTEXT_LENGTH),
    (refuse(400, "Model Not Exist"), FailureKind.UNKNOWN_MODEL),
    (refuse(400, "The model `x` has been decommissioned."), FailureKind.UNKNOWN_MODEL),
    (refuse(400, "API key not valid. Please pass a valid API key."), FailureKind.AUTHENTICATION),
    (refuse(400, "Incorrect API key provided"), FailureKind.AUTHENTICATION),
    (refuse(400, "Output data may contain inappropriate content."), FailureKind.CONTENT_FILTER),
    (refuse(400, "Content Exists Risk"), FailureKind.CONTENT_FILTER),
    (FILTERED, FailureKind.CONTENT_FILTER),
    (FLAGGED, FailureKind.CONTENT_FILTER),
    (refuse(408), FailureKind.TIMEOUT),
    (refuse(409), FailureKind.SERVER_ERROR),
    (refuse(429), FailureKind.RATE_LIMITED),
    (refuse(429, "You exceeded your current quota, retry in 20 s"), FailureKind.RATE_LIMITED),
    (refuse(500), FailureKind.SERVER_ERROR),
    (refuse(502), FailureKind.SERVER_ERROR),
    (refuse(503, "Loading model"), FailureKind.SERVER_ERROR),
    (OVERLOADED, FailureKind.OVERLOADED),
    (refuse(504), FailureKind.SERVER_ERROR),
    (refuse(529), FailureKind.OVERLOADED),
    (raw("<html>Bad gateway</html>", status=502, content_type="text/html"), FailureKind.SERVER_ERROR),
    (raw("", status=500), FailureKind.SERVER_ERROR),
    (raw('{"error": "plain"}', status=400), FailureKind.BAD_REQUEST),
    (raw('{"detail": [{"msg": "wrong"}]}', status=422), FailureKind.BAD_REQUEST),
    (raw('[{"error": {"message": "slow down"}}]', status=429), FailureKind.RATE_LIMITED),
    (raw('{"error": {"message": 7, "code": {}}}', status=500), FailureKind.SERVER_ERROR),
    (raw('{"error": {"code": 429, "message": "upstream"}}'), FailureKind.RATE_LIMITED),
    (raw('{"choices": [{"error": {"code": 502, "message": "upstream"}}]}'), FailureKind.SERVER_ERROR),
]
PASSING = {"rate_limited", "overloaded", "server_error", "connection", "timeout", "bad_answer"}

BAD_ANSWERS = {
    "not JSON": raw("I am a teapot", content_type="text/plain"),
    "an HTML page": raw("<html>Sign in</html>", content_type="text/html"),
    "empty": empty(),
    "blank": raw("  \n"),
    "no object": raw("[]"),
    "no choices": raw('{"choices": []}'),
    "choices of another kind": raw('{"choices": 7}'),
    "a null message": raw('{"choices": [{"message": null}]}'),
    "null content that cost nothing": say(content=None, usage={}),
    "content of another kind": say(content=7, usage={}),
    "5 MB": large(),
    "deep nesting": raw("[" * 100_000),
    "a number without end": raw('{"choices": ' + "9" * 10_000 + "}"),
    "bytes that are not UTF-8": raw(b'{"choices": "\xff"}'),
    "cut JSON": raw('{"choices": [{"message": {"content": "half'),
    "compression that grows": raw(
        gzip.compress(b"0" * 50_000_000), headers={"Content-Encoding": "gzip"}, content_type="application/json"
    ),
}


@pytest.mark.parametrize(("behaviour", "kind"), REFUSALS, ids=range(len(REFUSALS)))
def test_a_refusal_is_of_its_kind(behaviour: Behaviour, kind: FailureKind) -> None:
    with ChatServer([behaviour]) as server:
        failed = failure(openai(server.openai_url))
    assert failed.kind is kind
    assert failed.may_pass is (kind.value in PASSING)


def test_money_that_is_spent_is_told_from_a_rate() -> None:
    with ChatServer([QUOTA]) as server:
        assert "no credit left" in failure(openai(server.openai_url)).message


def test_a_credit_balance_that_is_too_low_says_that_waiting_does_not_help() -> None:
    with ChatServer([refuse(400, "Your credit balance is too low.")]) as server:
        assert "no credit left" in failure(openai(server.openai_url)).message


def test_a_rejected_key_is_named_by_its_variable() -> None:
    with ChatServer([refuse(401, "Incorrect API key provided")]) as server:
        assert "OPENAI_API_KEY" in failure(openai(server.openai_url)).message


def test_a_model_that_is_not_there_is_named() -> None:
    with ChatServer([refuse(404)]) as server:
        assert "gpt-test" in failure(openai(server.openai_url)).message


@pytest.mark.parametrize("behaviour", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
def test_an_answer_that_cannot_be_read_is_a_bad_answer(behaviour: Behaviour) -> None:
    with ChatServer([behaviour]) as server:
        assert failure(openai(server.openai_url)).kind is FailureKind.BAD_ANSWER


def test_a_wrong_content_type_does_not_matter() -> None:
    body = json.dumps({"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]})
    with ChatServer([raw(body, content_type="text/html")]) as server:
        assert ask(openai(server.openai_url)).answer.text == "fine"


def test_compression_that_nobody_asked_for_is_undone() -> None:
    body = json.dumps({"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]}).encode()
    with ChatServer([raw(gzip.compress(body), headers={"Content-Encoding": "gzip"})]) as server:
        assert ask(openai(server.openai_url)).answer.text == "fine"


@pytest.mark.parametrize("behaviour", [cut(), drop()], ids=["in the body", "before the answer"])
def test_a_cut_connection_is_a_connection_failure(behaviour: Behaviour) -> None:
    with ChatServer([behaviour]) as server:
        assert failure(openai(server.openai_url)).kind is FailureKind.CONNECTION


def test_a_call_after_a_cut_connection_is_answered() -> None:
    async def calls(url: str) -> str:
        model = openai(url)
        try:
            with pytest.raises(ModelFailure):
                await model.send(REQUEST)
            return (await model.send(REQUEST)).answer.text
        finally:
            await model.close()

    with ChatServer([cut(), say("back")]) as server:
        assert asyncio.run(calls(server.openai_url)) == "back"


def test_a_closed_port_is_a_connection_failure_that_says_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        environ = {"IAMHUMANS_OLLAMA_BASE_URL": f"http://127.0.0.1:{taken.getsockname()[1]}/v1"}
        failed = failure(open_model("ollama/qwen3:8b", environ=environ))
    assert failed.kind is FailureKind.CONNECTION
    assert "ollama serve" in failed.message


def test_a_server_of_another_protocol_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        async def call() -> ModelFailure:
            async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                writer.write(b"220 mail.example.org ESMTP\r\n")
                await writer.drain()
                writer.close()

            server = await asyncio.start_server(greet, sock=listening)
            model = openai(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
            try:
                with pytest.raises(ModelFailure) as caught:
                    await model.send(REQUEST)
            finally:
                await model.close()
                server.close()
            return caught.value

        assert asyncio.run(call()).kind is FailureKind.BAD_ANSWER


def test_a_caller_can_give_up_on_a_server_that_never_answers() -> None:
    async def call(url: str) -> None:
        model = openai(url)
        try:
            async with asyncio.timeout(0.05):
                await model.send(REQUEST)
        finally:
            await model.close()

    with ChatServer([hang()]) as server, pytest.raises(TimeoutError):
        asyncio.run(call(server.openai_url))


# How long to wait


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "864000"}, 864_000.0),
        ({"Retry-After": "1e300"}, 1e300),
        ({}, None),
    ],
)
def test_the_wait_is_read(headers: dict[str, str], seconds: float | None) -> None:
    with ChatServer([refuse(429, headers=headers)]) as server:
        assert failure(openai(server.openai_url)).retry_after == seconds


def test_a_date_is_read_by_the_clock_of_the_server() -> None:
    then = datetime(2001, 2, 3, 4, 5, tzinfo=UTC)
    dates = {name: format_datetime(date, usegmt=True) for name, date in _around(then).items()}
    with ChatServer([refuse(429, headers=dates)]) as server:
        assert failure(openai(server.openai_url)).retry_after == 30.0


def test_a_date_that_has_passed_is_no_wait() -> None:
    with ChatServer([refuse(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")]) as server:
        assert failure(openai(server.openai_url)).retry_after == 0.0


def _around(then: datetime) -> dict[str, datetime]:
    return {"Date": then, "Retry-After": then + timedelta(seconds=30)}


# What an error shows


def test_a_hostile_echo_of_the_headers_shows_no_key() -> None:
    with ChatServer([echo_headers()]) as server:
        assert KEY not in failure(openai(server.openai_url)).message


def test_a_hostile_echo_shows_no_key_of_anthropic() -> None:
    with ChatServer([echo_headers(400)]) as server:
        assert KEY not in failure(anthropic(server.anthropic_url)).message


@pytest.mark.parametrize("field", ["text", "model", "finish_reason"])
def test_an_answer_that_repeats_a_key_is_not_used(field: str) -> None:
    changes: dict[str, Any] = {} if field == "text" else {field: KEY}
    text = (lambda received: received.headers["authorization"]) if field == "text" else "fine"
    with ChatServer([say(text, **changes)]) as server:
        failed = failure(openai(server.openai_url))
    assert failed.kind is FailureKind.SECRET_ECHOED
    assert not failed.may_pass
    assert KEY not in repr((failed, failed.args, failed.message, failed.__cause__, failed.__context__))
    assert failed.usage == Usage(prompt=100, completion=20)


def test_an_answer_in_anthropic_s_format_that_repeats_a_key_is_not_used() -> None:
    with ChatServer([say(lambda received: received.headers["x-api-key"])]) as server:
        assert failure(anthropic(server.anthropic_url)).kind is FailureKind.SECRET_ECHOED


@pytest.mark.parametrize("key", ["test", "sk-test", "EMPTY", "not-needed", "password", "local-development"])
def test_a_short_or_simple_key_changes_no_answer(key: str) -> None:
    text = f"This is a test: {key}, Bearer {key}, {key.upper()}."
    environ = {"OPENAI_API_KEY": key}
    with ChatServer([say(text)]) as server:
        model = open_model("openai/m", environ={**environ, "IAMHUMANS_OPENAI_BASE_URL": server.openai_url})
        assert ask(model).answer.text == text


@pytest.mark.parametrize(
    "spelled",
    [
        KEY.replace("-", "%2D"),
        KEY.replace("-", "%2d"),
        KEY.replace("-", "%252D"),
        KEY.upper(),
        base64.b64encode(f"user:{KEY}".encode()).decode(),
        KEY.replace("-", "\\u002d"),
        KEY.replace("-", "\\-"),
        KEY[:9] + "\n" + KEY[9:],
    ],
)
def test_a_key_in_another_spelling_is_in_no_error(spelled: str) -> None:
    with ChatServer([refuse(500, f"bad header {spelled}, sorry")]) as server:
        message = failure(openai(server.openai_url)).message
    assert not Redactor([KEY]).repeats_secret(message)
    assert spelled not in message


def test_a_wait_of_ten_days_as_a_date_is_told_whole() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    dates = {"Date": now, "Retry-After": now + timedelta(days=10)}
    headers = {name: format_datetime(date, usegmt=True) for name, date in dates.items()}
    with ChatServer([refuse(429, headers=headers)]) as server:
        assert failure(openai(server.openai_url)).retry_after == 864_000.0


def test_a_key_that_is_set_but_not_sent_is_masked_too(tmp_path: Path) -> None:
    secret = "0123456789abcdef-not-of-this-server"
    with ChatServer([refuse(500, f"I found {secret}")]) as server:
        failed = failure(table(tmp_path, server.openai_url, environ={"ANTHROPIC_API_KEY": secret}))
    assert secret not in failed.message


def test_control_characters_of_a_server_are_shown_and_not_obeyed() -> None:
    with ChatServer([refuse(500, "\x1b[2Jgone \u202e")]) as server:
        message = failure(openai(server.openai_url)).message
    assert message.isprintable()
    assert "\\x1b" in message


def test_a_long_text_of_a_server_is_cut() -> None:
    with ChatServer([refuse(500, "word " * 10_000)]) as server:
        assert len(failure(openai(server.openai_url)).message) < 400


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with ChatServer() as other, ChatServer([redirect(f"{other.url}/steal", status=status)]) as server:
        failed = failure(openai(server.openai_url))
        assert other.count == 0
    assert failed.kind is FailureKind.BAD_REQUEST
    assert "/steal" in failed.message


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as proxy, ChatServer() as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        ask(openai(server.openai_url))
        assert (proxy.count, server.count) == (0, 1)


def test_cookies_are_not_kept() -> None:
    answer = {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}
    with ChatServer([raw(json.dumps(answer), headers={"Set-Cookie": "a=b"})]) as server:
        ask_times(openai(server.openai_url), 2)
    assert "cookie" not in server.requests[1].headers

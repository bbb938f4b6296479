"""How long a server asks to wait, in the ways in which servers say it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.models.waiting import asked_wait

NOON = "Thu, 01 Jan 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Rate limit reached. Please try again in 6.4s.", 6.4),
        ("Please try again in 1m20s. Visit the docs.", 80.0),
        ("try again in 250ms", 0.25),
        ("Please retry in 34.5s.", 34.5),
        ("Retry after 2 seconds", 2.0),
        ("You must wait 30 seconds before the next call", 30.0),
        ("Try your request again in 5 seconds", 5.0),
        ("The limit resets in 1 hour 5 minutes and 3 seconds", 3903.0),
        ("quota will reset after 39s", 39.0),
        ("Try again later. 3 models are busy.", None),
        ("Slow down, please", None),
    ],
)
def test_words_are_read(text: str, seconds: float | None) -> None:
    assert asked_wait(429, {}, None, text) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ms-retry-after-ms": "1500"}, 1.5),
        ({"Retry-After": "20s"}, 20.0),
        ({"Retry-After": "1767268830", "Date": NOON}, 30.0),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "12ms"}, 0.012),
        ({"x-ratelimit-reset": "5"}, 5.0),
        ({"RateLimit-Reset": "7"}, 7.0),
        ({"RateLimit": '"default";r=0;t=9'}, 9.0),
        ({"RateLimit": "limit=100, remaining=0, reset=8"}, 8.0),
        ({"X-RateLimit-Reset": "1767268830", "Date": NOON}, 30.0),
        ({"X-RateLimit-Reset": "1767268830000", "Date": NOON}, 30.0),
        ({"anthropic-ratelimit-tokens-reset": "2026-01-01T12:00:20Z", "Date": NOON}, 20.0),
    ],
)
def test_headers_are_read(headers: dict[str, str], seconds: float) -> None:
    assert asked_wait(429, headers) == pytest.approx(seconds)


def test_of_several_limits_the_one_that_is_spent_counts() -> None:
    resets = {"x-ratelimit-reset-requests": "40s", "x-ratelimit-reset-tokens": "2s"}
    assert asked_wait(429, {**resets, "x-ratelimit-remaining-requests": "0"}) == 40.0


def test_where_no_limit_is_named_as_spent_the_soonest_reset_counts() -> None:
    assert asked_wait(429, {"x-ratelimit-reset-requests": "40s", "x-ratelimit-reset-tokens": "2s"}) == 2.0


def test_the_reset_of_a_limit_is_no_wait_where_the_limit_was_not_reached() -> None:
    assert asked_wait(500, {"x-ratelimit-reset-requests": "40s"}) is None


@pytest.mark.parametrize(
    "details",
    [
        [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}],
        [{"@type": "x"}, {"retryDelay": {"seconds": 34, "nanos": 500_000_000}}],
        [{"metadata": {"retry_after_seconds": 34.5}}],
        [{"retry-after-ms": 34_500}],
    ],
)
def test_fields_of_an_error_are_read(details: list[Any]) -> None:
    assert asked_wait(429, {}, {"error": {"code": 429, "details": details}}) == 34.5


def test_the_header_of_a_server_behind_a_gateway_is_read() -> None:
    body = {"error": {"metadata": {"headers": {"X-RateLimit-Reset": "1767268830000", "X-RateLimit-Remaining": "0"}}}}
    assert asked_wait(429, {"Date": NOON}, body) == 30.0


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["retryDelay", "retry_after", "error"]), inner),
)


@given(JSON, st.text(), st.dictionaries(st.sampled_from(["Retry-After", "Date", "x-ratelimit-reset"]), st.text()))
def test_nothing_that_a_server_says_is_a_negative_wait(body: Any, text: str, headers: dict[str, str]) -> None:
    found = asked_wait(429, headers, body, text)
    assert found is None or found >= 0

"""The tokens of a call, as servers count them."""

from __future__ import annotations

from typing import Any

import pytest

from iamhumans.models.chat import Usage
from iamhumans.models.usage import anthropic_usage, openai_usage


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, Usage(10, None, 5)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 95}, Usage(10, None, 85)),
        ({"prompt_tokens": 10, "total_tokens": 95}, Usage(10, None, 85)),
        ({"completion_tokens": 5, "total_tokens": 15}, Usage(10, None, 5)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 2}, Usage(10, None, 5)),
        ({"input_tokens": 10, "output_tokens": 5}, Usage(10, None, 5)),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 4}},
            Usage(10, None, 5, 4),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 80}},
            Usage(10, None, 85, 80),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 8}, Usage(10, 8, 5)),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cache_write_tokens": 7}},
            Usage(10, None, 5, written=7),
        ),
        ({}, Usage()),
    ],
)
def test_usage_in_openai_s_format(usage: dict[str, Any], expected: Usage) -> None:
    assert openai_usage({"usage": usage}) == expected


def test_usage_in_anthropic_s_format_has_cached_tokens_in_the_prompt() -> None:
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 90, "cache_read_input_tokens": 7, "output_tokens": 5}
    assert anthropic_usage({"usage": usage}) == Usage(100, 7, 5, written=90)

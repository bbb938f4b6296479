"""The tokens of a call, from what each wire format reports. Every token that was billed is counted somewhere."""

from collections.abc import Mapping
from typing import Any

from iamhumans.models.chat import Usage
from iamhumans.models.json_fields import count, mapping


def openai_usage(data: Mapping[str, Any]) -> Usage:
    """The usage in a response of OpenAI's format, as its many servers spell it."""
    usage = mapping(data.get("usage"))
    into, out = mapping(usage.get("prompt_tokens_details")), mapping(usage.get("completion_tokens_details"))
    prompt = _first(usage.get("prompt_tokens"), usage.get("input_tokens"))
    completion = _first(usage.get("completion_tokens"), usage.get("output_tokens"))
    reasoning = _first(out.get("reasoning_tokens"), usage.get("reasoning_tokens"))
    total = count(usage.get("total_tokens"))
    if total is not None and completion is not None and prompt is None:
        prompt = max(total - completion, 0)
    elif total is not None and prompt is not None:
        # Some count reasoning only in the total: what is beyond prompt and answer was generated, and is billed so.
        completion = max(completion or 0, total - prompt)
    elif total is None and completion is not None and (reasoning or 0) > completion:
        completion += reasoning or 0
    read = (into.get("cached_tokens"), usage.get("cached_tokens"), usage.get("prompt_cache_hit_tokens"))
    written = (into.get("cache_write_tokens"), into.get("cache_creation_tokens"))
    cached = _first(*read, usage.get("cache_read_input_tokens"))
    return Usage(prompt, cached, completion, reasoning, _first(*written, usage.get("cache_creation_input_tokens")))


def anthropic_usage(data: Mapping[str, Any]) -> Usage:
    """The usage in a response of Anthropic's format, which counts cached tokens apart; ``prompt`` is all of them."""
    usage = mapping(data.get("usage"))
    kinds = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    fresh, read, written = (count(usage.get(kind)) for kind in kinds)
    prompt = None if fresh is None else fresh + (read or 0) + (written or 0)
    reasoning = count(mapping(usage.get("output_tokens_details")).get("thinking_tokens"))
    return Usage(prompt, read, count(usage.get("output_tokens")), reasoning, written)


def _first(*values: Any) -> int | None:
    return next((number for value in values if (number := count(value)) is not None), None)

"""What is learned from the words with which servers refuse."""

from __future__ import annotations

from typing import Any

import pytest

from iamhumans.models.adapting import Sent, adapted
from iamhumans.models.habits import Habits, shaped
from iamhumans.models.refusals import refusal_in
from iamhumans.prompts import Message

FIELDS = {
    "messages": 1,
    "temperature": 0,
    "top_p": 0.9,
    "max_tokens": 5,
    "response_format": 1,
    "seed": 1,
    "reasoning_effort": "low",
}
OPTIONAL = (
    "stream_options",
    "stream",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "top_p",
    "reasoning_effort",
    "temperature",
)

USUAL = Habits()


def learned(message: str, status: int = 400, habits: Habits = USUAL, *, joinable: bool = False, **error: Any) -> Any:
    refused = refusal_in({"error": {"message": message, **error}}, status)
    found = adapted(habits, refused, Sent(FIELDS, OPTIONAL, habits.role or "system", joinable, may_drop_format=True))
    return None if found is None else found.to_dict()


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Unsupported value: 'messages[0].role' does not support 'system' with this model.", 400),
        ("Developer instruction is not enabled for models/gemma-3-27b-it", 400),
        ("System role not supported", 500),
        ("This model does not accept a system prompt", 422),
        ("[{'loc': ['body', 'messages', 0, 'role'], 'msg': \"Input should be 'user' or 'assistant'\"}]", 422),
        ("Only user and assistant roles are supported!", 400),
        ("unknown role: system", 400),
        ("Role must be one of: user, assistant", 400),
    ],
)
def test_no_system_role(message: str, status: int) -> None:
    assert learned(message, status) == {"role": "user"}


@pytest.mark.parametrize(
    "message",
    [
        "Invalid value: 'system'. Supported values are: 'developer', 'user' and 'assistant'. (messages[0].role)",
        "messages with role 'system' are not supported. Use 'developer' instead.",
    ],
)
def test_the_developer_role(message: str) -> None:
    assert learned(message) == {"role": "developer"}


def test_a_server_that_refuses_the_developer_role_too_gets_the_text_in_the_user_s_message() -> None:
    said = "messages with role 'developer' are not supported; the role system is unknown"
    assert learned(said, habits=Habits(role="developer")) == {"role": "user"}


@pytest.mark.parametrize(
    "message",
    [
        "Conversation roles must alternate user/assistant/user/assistant/...",
        'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
        "Consecutive messages of the same role are not allowed",
    ],
)
def test_alternating_roles(message: str) -> None:
    assert learned(message, joinable=True) == {"alternates": True}


def test_a_system_message_that_a_template_takes_for_a_turn_goes_into_the_user_s_message() -> None:
    assert learned("Conversation roles must alternate user/assistant/...") == {"alternates": True, "role": "user"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("temperature is deprecated for this model", {"left_out": ("temperature",)}),
        (
            "Unsupported value: 'temperature' does not support 0. Only the default (1) value is supported.",
            {"left_out": ("temperature",)},
        ),
        ("invalid temperature: only 1 is allowed for this model", {"fixed": {"temperature": 1.0}}),
        ("`temperature` may only be set to 1 when thinking is enabled", {"fixed": {"temperature": 1.0}}),
        ("The value of temperature should be 0.6", {"fixed": {"temperature": 0.6}}),
        ("invalid top_p: only 0.95 is allowed", {"fixed": {"top_p": 0.95}}),
        ("This model does not support parameter reasoningEffort.", {"left_out": ("reasoning_effort",)}),
        ("Parameter 'seed' is not a recognized parameter", {"left_out": ("seed",)}),
        ("seed is not a valid parameter for this model", {"left_out": ("seed",)}),
        ("Please use max_completion_tokens rather than max_tokens", {"left_out": ("max_tokens",)}),
        ("This model wants max_completion_tokens instead of max_tokens", {"left_out": ("max_tokens",)}),
        ("'max_tokens' or 'max_completion_tokens' is too large: 9000", None),
        ("temperature must be between 0 and 1", None),
        ("temperature 0 is not allowed: it must be greater than 0", None),
        ("max_tokens is too large: 9000", None),
    ],
)
def test_settings(message: str, expected: Any) -> None:
    assert learned(message) == expected


def test_a_fixed_value_that_is_refused_as_well_is_left_out() -> None:
    habits = Habits(fixed={"temperature": 1.0})
    assert learned("only temperature=1 is supported", habits=habits) == {"left_out": ("temperature",)}


def test_a_level_of_reasoning_that_a_model_does_not_have_is_an_error() -> None:
    said = "Unsupported value: 'reasoning_effort' does not support 'minimal'. Supported values are: 'low'."
    assert learned(said, param="reasoning_effort") is None


def test_reasoning_effort_that_a_server_does_not_know_is_left_out() -> None:
    said = "Unrecognized request argument supplied: reasoning_effort"
    assert learned(said) == {"left_out": ("reasoning_effort",)}


@pytest.mark.parametrize(
    "message",
    [
        "This response_format type is unavailable now",
        "'response_format.type' must be 'text' or 'json_object'",
        "Invalid schema for response_format 'answer'",
        "failed to parse grammar",
    ],
)
def test_a_format_is_made_simpler_step_by_step(message: str) -> None:
    assert learned(message) == {"format": "json_object"}
    assert learned(message, habits=Habits(format="json_object")) == {"format": "none"}
    assert learned(message, habits=Habits(format="none")) is None


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("Failed to generate JSON. Please adjust your prompt.", {"code": "json_validate_failed"}),
        ("Generated JSON does not match the expected schema.", {}),
        ("The model's output could not be parsed as JSON", {}),
        ("The model returned invalid JSON", {}),
        ("Response was not valid against the json_schema", {}),
        ("model output must contain either output text or tool calls, these cannot both be empty", {}),
        ("See `failed_generation` for details of the schema", {"failed_generation": "{"}),
    ],
)
def test_one_failed_generation_changes_nothing(message: str, error: dict[str, Any]) -> None:
    assert learned(message, **error) is None


@pytest.mark.parametrize(
    "message", ["upstream error", "the request is wrong", "the content filter flagged the system message"]
)
def test_other_errors_teach_nothing(message: str) -> None:
    assert learned(message) is None


def test_the_system_text_goes_to_the_start_of_the_first_user_message() -> None:
    messages = (Message("system", "Judge."), Message("user", "hi"), Message("assistant", "a"), Message("user", "b"))
    assert shaped(messages, "user", alternates=False) == [("user", "Judge.\n\nhi"), ("assistant", "a"), ("user", "b")]


def test_messages_in_a_row_are_joined() -> None:
    messages = (Message("system", "S"), Message("user", "a"), Message("user", "b"), Message("assistant", "c"))
    assert shaped(messages, "system", alternates=True) == [("system", "S"), ("user", "a\n\nb"), ("assistant", "c")]


def test_a_conversation_that_the_assistant_opens_gets_a_user_s_turn_before_it() -> None:
    roles = [role for role, _ in shaped((Message("assistant", "hi"), Message("user", "b")), "system", alternates=True)]
    assert roles == ["user", "assistant", "user"]


def test_habits_survive_being_stored() -> None:
    habits = Habits(("seed",), {"temperature": 1.0}, "user", alternates=True, format="none", streams=True)
    assert Habits.from_dict(habits.to_dict()) == habits
    assert len(list(habits.sentences())) == 6

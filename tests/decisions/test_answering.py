"""Whether the models that answered are those that were asked for."""

from __future__ import annotations

import pytest

from iamhumans.decisions.answering import model_warnings
from iamhumans.runs.journal.queries import AnsweringModel


def warnings(asked: str, *answered: str) -> list[str]:
    return list(model_warnings([AnsweringModel("openai", asked, name, 3) for name in answered]))


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-5.1", "gpt-5.1"),
        ("gpt-5.1", "gpt-5.1-2025-11-13"),
        ("gpt-4", "gpt-4-0613"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
        ("meta-llama/llama-3.1-8b-instruct", "llama-3.1-8b-instruct"),
        ("mistral-large-latest", "mistral-large-2411"),
        ("gemini-2.5-pro", "models/gemini-2.5-pro-preview-05-06"),
        ("qwen3-8b", "/srv/models/Qwen3-8B.gguf"),
    ],
)
def test_a_date_or_a_folder_makes_no_other_model(asked: str, answered: str) -> None:
    assert warnings(asked, answered) == []


@pytest.mark.parametrize(
    ("asked", "answered"),
    [("gpt-5.1", "gpt-5.1-mini"), ("gpt-5.1", "gpt-4o"), ("llama-3.1-70b", "llama-3.1-8b"), ("big", "small")],
)
def test_another_model_is_a_warning(asked: str, answered: str) -> None:
    (warning,) = warnings(asked, answered)
    assert answered in warning
    assert asked in warning


def test_an_alias_that_moved_is_a_warning() -> None:
    (warning,) = warnings("gpt-5.1", "gpt-5.1-2025-11-13", "gpt-5.1-2026-02-01")
    assert "changed" in warning

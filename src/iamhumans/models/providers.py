"""The providers that need no config."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Wire = Literal["openai", "anthropic"]
"""How requests and answers are written."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A place that serves models."""

    name: str
    base_url: str
    wire: Wire
    key_variable: str | None
    """The environment variable with its key; ``None`` where none is needed."""

    @property
    def base_url_variable(self) -> str:
        """The environment variable that can send its calls elsewhere."""
        return f"IAMHUMANS_{self.name.upper()}_BASE_URL"


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("openai", "https://api.openai.com/v1", "openai", "OPENAI_API_KEY"),
        Provider("anthropic", "https://api.anthropic.com", "anthropic", "ANTHROPIC_API_KEY"),
        Provider("openrouter", "https://openrouter.ai/api/v1", "openai", "OPENROUTER_API_KEY"),
        Provider("ollama", "http://127.0.0.1:11434/v1", "openai", None),
    )
}

"""A model that is to be opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from iamhumans.errors import InputError
from iamhumans.models.config import Config, ModelTable
from iamhumans.models.model import Limits, Prices
from iamhumans.models.names import ModelName
from iamhumans.models.providers import PROVIDERS
from iamhumans.models.redaction import Redactor


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was named, and all that is known about it."""

    name: str
    """As the user named it."""
    model: ModelName
    """What the name stands for; without a kind, a model behind the ``base_url`` of the table."""
    table: ModelTable | None
    config: Config
    environ: Mapping[str, str] = field(repr=False)
    folder: Path
    """Where relative paths start from."""

    @property
    def prices(self) -> Prices:
        """Prices of the table; unknown without one."""
        return Prices() if self.table is None else self.table.prices.prices()

    @property
    def limits(self) -> Limits:
        """Limits of the table; none without one."""
        table = self.table
        return Limits() if table is None else Limits(table.requests_per_minute, table.tokens_per_minute, table.timeout)

    def refuse(self, keys: Iterable[str], because: str) -> None:
        """Pass if the table sets none of these keys: no setting is ignored.

        Raises:
            InputError: It sets one.
        """
        for key in keys:
            if self.table is not None and getattr(self.table, key) is not None:
                place = self.config.place("models", self.name, key)
                raise InputError(f"`{key}` does nothing here: {because}.", fix="Take the line out.", place=place)

    def key_variables(self) -> set[str]:
        """The names of all variables that are known to hold keys."""
        built_in = {provider.key_variable for provider in PROVIDERS.values() if provider.key_variable}
        return built_in | {table.api_key_env for table in self.config.models.values() if table.api_key_env}

    def redactor(self) -> Redactor:
        """Masks every key that is set, not only the one that goes to this model."""
        return Redactor(self.environ.get(variable, "").strip() for variable in self.key_variables())

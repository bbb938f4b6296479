"""Whether the models that answered are those that were asked for."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from iamhumans.runs.journal.queries import AnsweringModel

# Where a name ends like this, only the version differs: a date, a build, or a word for the newest one.
_VERSION = re.compile(r"[-@_.:]?(?:20\d{2}[-.]?\d{2}(?:[-.]?\d{2})?|\d{2}[-.]\d{2}|\d{3,4}|latest|preview|default)$")
_FILE = re.compile(r"\.(?:gguf|bin|safetensors)$")


def model_warnings(answering: Sequence[AnsweringModel]) -> Iterator[str]:
    """A sentence for each model that was asked for, if another one answered or it changed in the middle."""
    by_asked = sorted(answering, key=lambda one: (one.provider, one.asked))
    for (provider, asked), several in groupby(by_asked, key=lambda one: (one.provider, one.asked)):
        names = [one.model for one in several]
        if len(names) > 1:
            yield (
                f"{provider} answered as {_listed(names)} when asked for {asked}: the model behind the name changed,"
                " so these results come from more than one."
            )
        others = [name for name in names if base_name(name) != base_name(asked)]
        if others:
            yield f"{provider} was asked for {asked}, and {_listed(others)} answered."


def base_name(model: str) -> str:
    """The name of a model without the folder or provider in front of it, and without date or version at its end."""
    name = _FILE.sub("", model.strip().lower().rstrip("/").rpartition("/")[2])
    while (shorter := _VERSION.sub("", name)) not in (name, ""):
        name = shorter
    return name


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

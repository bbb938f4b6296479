"""Checks of a reply that need no judge: what it must and must not contain, how long it may be, in which language."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from iamhumans.text.languages import is_in_language

CHECK_KEYS = ("must_contain", "must_not_contain", "max_words", "language")
"""The keys of the front matter that are checks."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of one reply. ``passed`` is ``None`` where the reply is too short to tell its language.

    ``expected`` is the pattern, the number of words, or the language.
    """

    check: str
    expected: str
    passed: bool | None

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON holds it."""
        return {"check": self.check, "expected": self.expected, "passed": self.passed}


@dataclass(frozen=True, slots=True)
class Checks:
    """What a reply to a case must meet, whatever a judge says. No judge and no subject sees it.

    Attributes:
        must_contain: Patterns (of RE2), each found somewhere in the reply.
        must_not_contain: Patterns that are found nowhere in it.
        max_words: The largest number of words, split at spaces.
        language: The tag of the language that most of it is in.
    """

    must_contain: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()
    max_words: int | None = None
    language: str = ""

    def __bool__(self) -> bool:
        return bool(self.must_contain or self.must_not_contain or self.max_words is not None or self.language)

    def to_dict(self) -> dict[str, Any]:
        """The checks that there are, ready for JSON."""
        return {name: value for name, value in asdict(self).items() if value not in ((), None, "")}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> "Checks":
        """The checks that :meth:`to_dict` gave."""
        lists = {name: tuple(map(str, found.get(name, ()))) for name in CHECK_KEYS[:2]}
        return cls(**lists, max_words=found.get("max_words"), language=str(found.get("language", "")))

    def of(self, reply: str) -> tuple[CheckResult, ...]:
        """The results for a reply, in the order of the keys.

        Raises:
            ValueError: A pattern or the language cannot be used.
        """
        return tuple(self._results(reply))

    def _results(self, reply: str) -> Iterator[CheckResult]:
        for pattern in self.must_contain:
            yield CheckResult("must_contain", pattern, _found(pattern, reply))
        for pattern in self.must_not_contain:
            yield CheckResult("must_not_contain", pattern, not _found(pattern, reply))
        if self.max_words is not None:
            yield CheckResult("max_words", str(self.max_words), len(reply.split()) <= self.max_words)
        if self.language:
            yield CheckResult("language", self.language, is_in_language(reply, self.language))


def pattern_problem(pattern: str) -> str:
    """Why a text is no regular expression of RE2; empty if it is one."""
    try:
        _compiled(pattern)
    except ValueError as error:
        return str(error)
    return ""


def _found(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> Any:
    import re2  # RE2 takes linear time, so no pattern of a suite can hang a report.

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        raise ValueError(said.decode(errors="replace") if isinstance(said, bytes) else str(said)) from None

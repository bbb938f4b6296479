"""What a judge is able to see: the criteria whose answers count, language by language.

A YES and a NO are earned apart. A judge may be right whenever it finds a fault and still miss most of them: then its
YES counts, and its silence says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from iamhumans.verdicts.verdict import Flag, Verdict

_UNSEEN = Flag(present=None)
_ENGLISH = ("", "eng", "english")


@dataclass(frozen=True, slots=True)
class Seen:
    """The criteria that a judge sees in texts of one language; ``None`` is all of them.

    Attributes:
        yes: The hard fails on which its YES counts.
        no: The hard fails on which its NO counts. Only then both of its answers do.
        axes: The axes that it can score.
    """

    yes: frozenset[str] | None = frozenset()
    no: frozenset[str] | None = frozenset()
    axes: frozenset[str] | None = frozenset()

    def __bool__(self) -> bool:
        """Whether anything is seen."""
        return self.yes is None or self.axes is None or bool(self.yes or self.axes)

    def of(self, verdict: Verdict) -> Verdict | None:
        """The verdict with null in place of all that does not count; ``None`` if none of its criteria is seen.

        A YES that does not count keeps its quotes.
        """
        if self.yes is None or self.axes is None:
            if self.yes is None and self.no is None and self.axes is None:
                return verdict
        elif self.yes.isdisjoint(verdict.flags) and self.axes.isdisjoint(verdict.axes):
            return None
        flags = dict(verdict.flags)
        for name, flag in verdict.flags.items():
            counting = self.yes if flag.present else self.no
            if flag.present is not None and counting is not None and name not in counting:
                flags[name] = Flag(None, flag.quotes) if flag.quotes else _UNSEEN
        unseen = () if self.axes is None else [name for name in verdict.axes if name not in self.axes]
        return replace(verdict, flags=flags, unseen=verdict.unseen.union(unseen))


_NOTHING = Seen()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The criteria that a judge sees, by language (such as ``en``). A language that is not there is not seen at all.

    ``others`` is what is seen in every other language: nothing, but for judges that see everything.
    """

    languages: Mapping[str, Seen] = field(default_factory=lambda: MappingProxyType({}))
    others: Seen = _NOTHING

    @property
    def counting(self) -> frozenset[str] | None:
        """The hard fails on which a YES counts in some language; ``None`` is all of them."""
        found = [seen.yes for seen in (*self.languages.values(), self.others)]
        return None if None in found else frozenset().union(*(one for one in found if one is not None))

    def in_language(self, lang: str) -> Seen:
        """What is seen in texts of a language, named as a case names it: ``en``, ``en-GB`` or ``pt_BR``."""
        code = lang.lower().replace("_", "-").partition("-")[0]
        return self.languages.get("en" if code in _ENGLISH else code, self.others)


EVERYTHING = Coverage(others=Seen(None, None, None))
"""Of a judge that answers on every criterion in every language: a model, a person, or a function."""

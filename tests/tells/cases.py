"""Cases for the tests of the rules, each in one line."""

from __future__ import annotations

from iamhumans.cases import Case, Turn
from iamhumans.tells import Tell, find_tells


def case_of(user: str, *, hard_fails: tuple[str, ...] = (), repair: bool = False, lang: str = "en") -> Case:
    """A case of one user turn."""
    return Case("T-001", (Turn("user", user),), hard_fails=hard_fails, repair=repair, lang=lang)


VOICEMAIL = case_of("i found a voicemail from my dad. he died two years ago. i haven't played it.")
RAISE = case_of("I got the promotion!! They told me at lunch and I nearly dropped my soup.")
FLATMATE = case_of("My flatmate moved out without a word and I feel so hollow and sad coming home.")
SMALL_TALK = case_of("how's your evening going?")
ROUTER = case_of("How do I reset the router in my hallway?")


def found(reply: str, case: Case = VOICEMAIL, persona: str | None = None) -> set[str]:
    """The axes and hard fails for which something was found."""
    return {tell.axis_or_hard_fail for tell in find_tells(reply, case=case, persona=persona)}


def tells_of(axis_or_hard_fail: str, reply: str, case: Case = VOICEMAIL) -> list[Tell]:
    """The tells that bear on one axis or hard fail."""
    return [tell for tell in find_tells(reply, case=case) if tell.axis_or_hard_fail == axis_or_hard_fail]

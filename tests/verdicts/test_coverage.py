from __future__ import annotations

import pytest

from iamhumans.verdicts import EVERYTHING, Coverage, Flag, Seen, Verdict

SAID = Verdict(
    axes={"warmth": 7, "wit": None},
    flags={"pity": Flag(True, ("poor thing",)), "lecturing": Flag(False), "flattery": Flag(None)},
)


def seen_by(seen: Seen) -> Verdict:
    found = seen.of(SAID)
    assert found is not None
    return found


def test_a_yes_without_coverage_is_null_and_keeps_its_words() -> None:
    assert seen_by(Seen(yes=frozenset({"lecturing"}))).flags["pity"] == Flag(None, ("poor thing",))


def test_a_no_without_coverage_is_null() -> None:
    assert seen_by(Seen(yes=frozenset({"lecturing"}))).flags["lecturing"] == Flag(None)


def test_an_answer_that_counts_is_kept() -> None:
    found = seen_by(Seen(frozenset({"pity"}), frozenset({"lecturing"}), frozenset({"warmth"})))

    assert found.flags == SAID.flags
    assert found.unseen == {"wit"}
    assert found.axes == SAID.axes


def test_everything_changes_nothing() -> None:
    assert EVERYTHING.in_language("ja").of(SAID) is SAID


@pytest.mark.parametrize("lang", ["en", "en-GB", "EN_us", "english", "eng", ""])
def test_english_has_many_names(lang: str) -> None:
    seen = Seen(frozenset({"pity"}))
    assert Coverage({"en": seen}).in_language(lang) is seen


def test_a_language_that_is_not_listed_is_not_seen() -> None:
    seen = Coverage({"en": Seen(frozenset({"pity"}))}).in_language("de")

    assert not seen
    assert seen.of(Verdict({}, {"pity": Flag(True)}, "C-1")) is None

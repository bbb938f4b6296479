"""The table of looks: every time that a gate looked at the results for a question, and what it decided.

A look belongs to a question (what is tested, judged how, against which thresholds), not to a run, so it stays when a
run is deleted. A second look at the same results is the same look.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from iamhumans.runs.journal.entries import compact_json, now, storable
from iamhumans.runs.journal.errors import UNREADABLE, DamagedRowError
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.keys import canonical_json, content_hash

Design = Literal["fixed", "sequential"]
"""Whether a gate decides once, or may be looked at as often as one likes."""
_COLUMNS = "document, kind, declared, run_name, suite_hash, data, cases, seen, evidence, decision, at, imported, matter"
_STORE = f"""
INSERT INTO looks (question, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""  # noqa: S608 - constants
_OF = f"SELECT id, {_COLUMNS} FROM looks WHERE {{}} = ? ORDER BY id"  # noqa: S608 - constants


class SeenCase(NamedTuple):
    """A case that entered: how many replies it had at the look, and the run with which it entered."""

    case_id: str
    replies: int
    run_name: str


@dataclass(frozen=True, slots=True)
class Question:
    """What a gate asks. Both are JSON objects.

    Attributes:
        matter: What is tested and how it is judged: suite, subject, rubric, prompt, persona, judges, repeats.
        thresholds: What is demanded of it.
    """

    matter: Mapping[str, Any]
    thresholds: Mapping[str, Any]

    @property
    def matter_key(self) -> str:
        """The hash of what is tested, whatever is demanded of it."""
        return content_hash(canonical_json(dict(self.matter)))

    @property
    def key(self) -> str:
        """The hash of all of it."""
        return content_hash(canonical_json({"matter": dict(self.matter), "thresholds": dict(self.thresholds)}))


@dataclass(frozen=True, slots=True)
class Look:
    """One look.

    Attributes:
        question: What was asked.
        kind: Fixed or sequential.
        declared: Whether the user chose the kind, or it is the one that a gate has if nothing is said.
        run_name: The run that was gated.
        suite_hash: The hash of the cases of its suite, of which there may be more at a later look.
        data: The hash of all results that were seen.
        decision: ``pass``, ``fail``, ``inconclusive`` or ``broken``.
        seen: The cases in the order in which they entered.
        evidence: What was known of each criterion, by its name.
        at: When.
        imported: Whether it came with an imported run.
    """

    question: Question
    kind: Design
    declared: bool
    run_name: str
    suite_hash: str
    data: str
    decision: str
    seen: Sequence[SeenCase] = ()
    evidence: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    at: str = ""
    imported: bool = False


def looks_at(journal: Journal, question: Question) -> list[Look]:
    """All looks at a question, the first one first."""
    return _looks(journal, "question", question.key)


def looks_at_matter(journal: Journal, question: Question) -> list[Look]:
    """All looks at what the question is about, whatever was demanded of it."""
    return _looks(journal, "matter", question.matter_key)


def looks_of_run(journal: Journal, run_name: str) -> list[Look]:
    """All looks at a run, the first one first."""
    return _looks(journal, "run_name", run_name)


def store_look(journal: Journal, look: Look) -> None:
    """Store a look, unless the last one at its question saw the same results."""
    with journal.transaction() as connection:
        insert_look(connection, look)


def insert_look(connection: sqlite3.Connection, look: Look) -> None:
    """Store a look within a transaction. An imported one is left out if there is one of its kind at its results."""
    key, own = look.question.key, (look.kind, look.data)
    known = connection.execute("SELECT kind, data FROM looks WHERE question = ? ORDER BY id", (key,)).fetchall()
    if own in (known if look.imported else known[-1:]):
        return
    document = {"matter": dict(look.question.matter), "thresholds": dict(look.question.thresholds)}
    found = compact_json({name: dict(one) for name, one in look.evidence.items()})
    seen = storable(compact_json([list(one) for one in look.seen]))
    place = (look.kind, look.declared, look.run_name, look.suite_hash, look.data, len(look.seen), seen, found)
    values = (key, storable(compact_json(document)), *place, look.decision, look.at or now(), look.imported)
    connection.execute(_STORE, (*values, look.question.matter_key))


def look_to_dict(look: Look) -> dict[str, Any]:
    """A look for an export."""
    names = ("kind", "declared", "run_name", "suite_hash", "data", "decision", "at")
    return {
        **{name: getattr(look, name) for name in names},
        "matter": dict(look.question.matter),
        "thresholds": dict(look.question.thresholds),
        "seen": [list(one) for one in look.seen],
        "evidence": {name: dict(one) for name, one in look.evidence.items()},
    }


def look_from_dict(stored: Mapping[str, Any]) -> Look:
    """A look that :func:`look_to_dict` wrote, marked as imported. Raises KeyError, TypeError, ValueError."""
    if stored["kind"] not in ("fixed", "sequential"):
        raise ValueError(f"a look is fixed or sequential, not {stored['kind']!r}")
    texts: Any = {name: str(stored[name]) for name in ("run_name", "suite_hash", "data", "decision", "at")}
    question = Question(dict(stored["matter"]), dict(stored["thresholds"]))
    seen = tuple(SeenCase(str(case_id), int(count), str(name)) for case_id, count, name in stored["seen"])
    evidence = {str(name): dict(one) for name, one in stored["evidence"].items()}
    more: Any = {"seen": seen, "evidence": evidence, "imported": True}
    return Look(question, stored["kind"], bool(stored["declared"]), **texts, **more)


def _looks(journal: Journal, column: str, key: str) -> list[Look]:
    with journal.reading() as connection:
        rows = connection.execute(_OF.format(column), (key,)).fetchall()
    return [_look(row) for row in rows]


def _look(row: Sequence[Any]) -> Look:
    number, document, kind, declared, run_name, suite_hash, data, _, seen, evidence, decision, at, imported, _ = row
    try:
        asked = json.loads(document)
        question = Question(asked["matter"], asked["thresholds"])
        cases = tuple(SeenCase(str(case_id), int(count), str(name)) for case_id, count, name in json.loads(seen))
        found = json.loads(evidence)
    except UNREADABLE:
        raise DamagedRowError("looks", number) from None
    place = (bool(declared), run_name, suite_hash, data, decision, cases, found, at, bool(imported))
    return Look(question, kind, *place)

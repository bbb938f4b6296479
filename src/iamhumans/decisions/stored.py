"""The cases of a run, as the journal stores them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from types import MappingProxyType
from typing import NamedTuple

from iamhumans.runs import Journal, Run
from iamhumans.runs.journal.database import connect
from iamhumans.runs.journal.errors import explaining

_CASES_OF_RUN = """
(SELECT DISTINCT case_id, case_text
 FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = reply WHERE run = ?)
JOIN texts ON texts.id = case_text
"""
_FACTS = """
hash, json_extract(text, '$.title'), json_extract(text, '$.dimensions'), json_extract(text, '$.holdout'),
instr(text, '"text": ""') > 0
"""
_HASHES = f"SELECT case_id, hash FROM {_CASES_OF_RUN}"  # noqa: S608 - constants
_ALL_FACTS = f"SELECT case_id, {_FACTS} FROM {_CASES_OF_RUN}"  # noqa: S608 - constants
_FACTS_OF_ONE = f"SELECT {_FACTS} FROM texts WHERE kind = 'case' AND hash = ?"  # noqa: S608 - constants


class CaseFacts(NamedTuple):
    """What decisions and reports need to know of a case."""

    hash: str
    title: str = ""
    dimensions: tuple[str, ...] = ()
    held_out: bool = False
    live: bool = False
    """Whether the subject answers earlier turns of the case, so that its text may hold those answers."""


def stored_cases(
    journal: Journal, run: Run, known: Mapping[str, CaseFacts] = MappingProxyType({})
) -> dict[str, CaseFacts]:
    """The cases of a run, as they were when it was judged.

    Args:
        journal: The journal of the run.
        run: The run.
        known: The cases of another run; those that are the same are not read again.
    """
    with explaining(journal.path), closing(connect(journal.path, patience=30.0)) as connection:
        if not known:
            return {case_id: _facts(*row) for case_id, *row in connection.execute(_ALL_FACTS, (run.id,))}
        found = {}
        for case_id, case_hash in connection.execute(_HASHES, (run.id,)):
            facts = known.get(case_id)
            if facts is None or facts.hash != case_hash:
                facts = _facts(*connection.execute(_FACTS_OF_ONE, (case_hash,)).fetchone())
            found[case_id] = facts
    return found


def _facts(case_hash: str, title: str | None, dimensions: str | None, held_out: object, live: object) -> CaseFacts:
    names = tuple(map(str, json.loads(dimensions or "[]")))
    return CaseFacts(case_hash, title or "", names, bool(held_out), bool(live))

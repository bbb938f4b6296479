"""What is asked: cases, suites, and the replies to them.

What only some commands need is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from iamhumans.cases.files import CaseReading, load_case, read_case, read_case_file
from iamhumans.cases.findings import Code
from iamhumans.cases.folder import natural_key
from iamhumans.cases.model import DIMENSIONS, Case, Finding, Reply, Speaker, Suite, Turn
from iamhumans.cases.suites import (
    BUNDLED_SUITES,
    bundled_slice,
    bundled_suite,
    bundled_suite_path,
    load_suite,
)

if TYPE_CHECKING:
    from iamhumans.cases.ledger import (
        About,
        Ledger,
        Result,
        Sealing,
        Use,
        begin_use,
        check_seal,
        check_use,
        end_use,
        is_recorded,
        read_ledger,
        seal_suite,
    )
    from iamhumans.cases.lint import Lint, lint_paths
    from iamhumans.cases.new import new_case_text
    from iamhumans.cases.sample import Sample, sample_suite, sampling_order, write_sample
    from iamhumans.cases.seal import Seal, held_out, only_held_out, opened, says_held_out

__all__ = [
    "BUNDLED_SUITES",
    "DIMENSIONS",
    "About",
    "Case",
    "CaseReading",
    "Code",
    "Finding",
    "Ledger",
    "Lint",
    "Reply",
    "Result",
    "Sample",
    "Seal",
    "Sealing",
    "Speaker",
    "Suite",
    "Turn",
    "Use",
    "begin_use",
    "bundled_slice",
    "bundled_suite",
    "bundled_suite_path",
    "check_seal",
    "check_use",
    "end_use",
    "held_out",
    "is_recorded",
    "lint_paths",
    "load_case",
    "load_suite",
    "natural_key",
    "new_case_text",
    "only_held_out",
    "opened",
    "read_case",
    "read_case_file",
    "read_ledger",
    "sample_suite",
    "sampling_order",
    "says_held_out",
    "seal_suite",
    "write_sample",
]

_LATER = {
    "ledger": (
        "About",
        "Ledger",
        "Result",
        "Sealing",
        "Use",
        "begin_use",
        "check_seal",
        "check_use",
        "end_use",
        "is_recorded",
        "read_ledger",
        "seal_suite",
    ),
    "lint": ("Lint", "lint_paths"),
    "new": ("new_case_text",),
    "sample": ("Sample", "sample_suite", "sampling_order", "write_sample"),
    "seal": ("Seal", "held_out", "only_held_out", "opened", "says_held_out"),
}
_HOMES = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found

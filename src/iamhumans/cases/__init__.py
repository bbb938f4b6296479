"""What is asked: cases and suites, the replies to them, and what is held out."""

from iamhumans.cases.case import DIMENSIONS, Case, Reply, Speaker, Turn
from iamhumans.cases.case_file import CaseReading, load_case, read_case, read_case_file
from iamhumans.cases.findings import Finding
from iamhumans.cases.holdout import record_result, record_use, require_reason, says_held_out, shown
from iamhumans.cases.ledger import Ledger, Result, Use, read_ledger
from iamhumans.cases.lint import Lint, lint
from iamhumans.cases.new_case import new_case_text, write_new_case
from iamhumans.cases.sample import sample_suite, sampling_order, write_sample
from iamhumans.cases.seal import Seal, Sealing, check_seal, check_use, seal_suite
from iamhumans.cases.suite import Suite, bundled_slice, bundled_suite, load_suite
from iamhumans.cases.suite_files import BUNDLED_SUITES, bundled_suite_path, natural_key

__all__ = [
    "BUNDLED_SUITES",
    "DIMENSIONS",
    "Case",
    "CaseReading",
    "Finding",
    "Ledger",
    "Lint",
    "Reply",
    "Result",
    "Seal",
    "Sealing",
    "Speaker",
    "Suite",
    "Turn",
    "Use",
    "bundled_slice",
    "bundled_suite",
    "bundled_suite_path",
    "check_seal",
    "check_use",
    "lint",
    "load_case",
    "load_suite",
    "natural_key",
    "new_case_text",
    "read_case",
    "read_case_file",
    "read_ledger",
    "record_result",
    "record_use",
    "require_reason",
    "sample_suite",
    "sampling_order",
    "says_held_out",
    "seal_suite",
    "shown",
    "write_new_case",
    "write_sample",
]

"""What is asked: cases, suites, and the replies to them."""

from iamhumans.cases.files import CaseReading, load_case, read_case, read_case_file
from iamhumans.cases.findings import Code
from iamhumans.cases.folder import natural_key
from iamhumans.cases.lint import Lint, lint_paths
from iamhumans.cases.model import DIMENSIONS, Case, Finding, Reply, Speaker, Suite, Turn
from iamhumans.cases.new import new_case_text
from iamhumans.cases.suites import BUNDLED_SUITES, bundled_suite, bundled_suite_path, load_suite

__all__ = [
    "BUNDLED_SUITES",
    "DIMENSIONS",
    "Case",
    "CaseReading",
    "Code",
    "Finding",
    "Lint",
    "Reply",
    "Speaker",
    "Suite",
    "Turn",
    "bundled_suite",
    "bundled_suite_path",
    "lint_paths",
    "load_case",
    "load_suite",
    "natural_key",
    "new_case_text",
    "read_case",
    "read_case_file",
]

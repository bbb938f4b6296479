"""What is asked: cases and suites, the replies to them, and what is held out."""

from iamhumans.cases.case import DIMENSIONS, Case, Reply, Speaker, Turn
from iamhumans.cases.case_file import CaseReading, read_case, read_case_file
from iamhumans.cases.findings import Finding
from iamhumans.cases.holdout import record_result, record_use, require_reason
from iamhumans.cases.ledger import Ledger, Result, Use, read_ledger
from iamhumans.cases.lint import lint
from iamhumans.cases.new_case import write_new_case
from iamhumans.cases.sample import write_sample
from iamhumans.cases.seal import check_seal, check_use, seal_suite
from iamhumans.cases.suite import Suite, bundled_slice, bundled_suite, load_suite

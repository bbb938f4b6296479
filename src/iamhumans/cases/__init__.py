"""What is asked: cases, suites, and the replies to them."""

from iamhumans.cases.model import DIMENSIONS, Case, Finding, Reply, Speaker, Suite, Turn

__all__ = ["DIMENSIONS", "Case", "Finding", "Reply", "Speaker", "Suite", "Turn"]

"""Judgements for people and programs: terminal, Markdown, JSON.

The printers are imported where they are used, so that a command that prints JSON does not load the terminal's library.
"""

from iamhumans.reports.document import report_json
from iamhumans.reports.json_text import json_text
from iamhumans.reports.lines import judged_line, judgement_fields
from iamhumans.reports.report import Group, Report

__all__ = ["Group", "Report", "json_text", "judged_line", "judgement_fields", "report_json"]

"""Results for people and programs: blocks that a terminal, Markdown and HTML show; JSON, CSV and JUnit."""

from iamhumans.reports.json_text import json_text, report_json
from iamhumans.reports.report import Group, Report

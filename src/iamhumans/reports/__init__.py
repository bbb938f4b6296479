"""Results for people and programs: blocks that a terminal, Markdown and HTML show; JSON, CSV and JUnit."""

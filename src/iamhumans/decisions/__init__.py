"""Decisions about runs: panels of judges, comparisons, gates. They return data; ``reports`` puts it into words."""

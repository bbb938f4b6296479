"""The rules for English: one module for each hard fail or axis."""

from importlib import import_module

from iamhumans.tells.rule import Rule

_MODULES = (
    *("fabricated_biography", "manipulation", "sycophancy", "empty_validation", "refusal", "structure"),
    *("performed_empathy", "joy_undercut", "pity", "lecturing", "extended", "stock_phrases", "rhythm", "honesty"),
)
RULES: tuple[Rule, ...] = tuple(rule for name in _MODULES for rule in import_module(f"{__name__}.{name}").RULES)

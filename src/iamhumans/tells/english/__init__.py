"""The rules for English: one module for each axis and for hard fails that belong together."""

from importlib import import_module

from iamhumans.tells.rule import Rule

_MODULES = (
    *("fabricated_biography", "manipulation", "sycophancy", "empathy", "refusal"),
    *("emotional_moments", "extended", "naturalness", "honesty"),
)
RULES: tuple[Rule, ...] = tuple(rule for name in _MODULES for rule in import_module(f"{__name__}.{name}").RULES)

"""Simulations behind the table of error rates in docs/statistics.md: one module for each kind of decision.

A module has a function ``rows(quick)``, which gives the rows of the table. It uses fixed seeds, so that the same code
gives the same figures, and ends in two minutes on one core; ``quick`` takes a tenth of the repetitions.
"""

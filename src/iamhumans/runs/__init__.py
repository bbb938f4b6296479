"""Runs: the plan, the engine that works it off, and the journal that loses nothing."""

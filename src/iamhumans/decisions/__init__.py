"""What to make of a run: panels, comparisons, gates."""

"""Names of raters."""

from __future__ import annotations

from typing import Final

DEFAULT_RATER: Final = "me"
"""Who labels where nobody gave a name. On another machine it is somebody else."""

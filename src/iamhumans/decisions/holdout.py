"""What may be shown of a case that is held out."""

from __future__ import annotations

from hashlib import sha256


def shown(text: str, *, held_out: bool, reason: str | None) -> str:
    """The text, or its hash where it belongs to a held-out case and no reason to show it was given."""
    if not text or not held_out or reason:
        return text
    return f"sha256:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"

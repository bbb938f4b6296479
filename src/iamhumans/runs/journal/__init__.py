"""The journal: every call that was paid for, and what came of it, in one SQLite file."""

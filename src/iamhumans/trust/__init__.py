"""Whether a judge can be trusted: people's labels, which replies deserve one, and how far judge and people agree."""

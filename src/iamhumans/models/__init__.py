"""Chat endpoints. The only code that touches the network."""

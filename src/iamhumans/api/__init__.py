"""The use cases: judge, run, compare, gate, calibrate. ``iamhumans`` exports them."""

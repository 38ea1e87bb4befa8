"""Tables about the worst-case engine; each script writes ``results/benchmarks/NAME.json``."""

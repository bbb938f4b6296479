"""Judge whether a conversational reply reads and behaves like a person's.

The package is a house of floors; a folder imports only from the floors below it. From the ground up:

``errors``    what goes wrong, for people; ``loading``: modules that are loaded late
``text``      foreign text in (files, YAML) and out (terminal, Markdown, CSV)
``rubrics``   what is judged: axes, hard fails, defaults, the pass mark
``cases``     what is asked: case files, suites, their lint
``verdicts``  what a judge said: text to verdict to score
``tells``     deterministic findings in a text
``prompts``   what a judge is sent
``judges``    who judges; ``subjects``: whose replies are judged
``models``    chat endpoints, the only code that touches the network
``runs``      plan, engine, journal
``stats``     figures over cases
``trust``     labels, calibration, the proving set
``decisions`` panels, comparisons, gates
``reports``   terminal, Markdown, JSON
``cli``       the command line
"""

__version__ = "0.1.0"

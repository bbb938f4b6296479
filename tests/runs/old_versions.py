"""The tables of versions 1 to 4, as those versions made them, for tests of the conversion."""

VERSIONS = (
    """
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE texts (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (kind, hash)
) STRICT;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  plan_hash TEXT NOT NULL,
  plan TEXT NOT NULL,
  salt TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'incomplete', 'finished')),
  asked INTEGER,
  created TEXT NOT NULL,
  ended TEXT
) STRICT;
CREATE INDEX runs_by_plan ON runs (plan_hash);

CREATE TABLE replies (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  case_id TEXT NOT NULL,
  case_text INTEGER REFERENCES texts (id),
  subject TEXT NOT NULL,
  skill_text INTEGER REFERENCES texts (id),
  number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('replied', 'failed')),
  reason TEXT,
  detail TEXT,
  final INTEGER NOT NULL,
  ended TEXT NOT NULL,
  conversation TEXT,
  text TEXT,
  CHECK ((status = 'replied') = (text IS NOT NULL)),
  CHECK ((status = 'failed') = (reason IS NOT NULL))
) STRICT;

CREATE TABLE judgements (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  reply INTEGER NOT NULL REFERENCES replies (id),
  judge TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  rubric_text INTEGER REFERENCES texts (id),
  prompt_text INTEGER REFERENCES texts (id),
  persona_text INTEGER REFERENCES texts (id),
  status TEXT NOT NULL CHECK (status IN ('judged', 'unjudged')),
  reason TEXT,
  detail TEXT,
  total INTEGER,
  total_confirmed INTEGER,
  axis_total INTEGER,
  applicable_total INTEGER,
  outcome TEXT CHECK (outcome IN ('PASS', 'FAIL')),
  zeroed INTEGER,
  final INTEGER NOT NULL,
  ended TEXT NOT NULL,
  verdict TEXT,
  CHECK ((status = 'judged') = (verdict IS NOT NULL)),
  CHECK ((status = 'judged') = (total IS NOT NULL)),
  CHECK ((status = 'unjudged') = (reason IS NOT NULL))
) STRICT;
CREATE INDEX judgements_by_reply ON judgements (reply);

CREATE TABLE run_rows (
  run INTEGER NOT NULL REFERENCES runs (id),
  row INTEGER NOT NULL,
  judgement INTEGER NOT NULL REFERENCES judgements (id),
  PRIMARY KEY (run, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_rows_by_judgement ON run_rows (judgement);

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  job TEXT NOT NULL,
  run INTEGER,
  step INTEGER NOT NULL,
  number INTEGER NOT NULL,
  request TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  started TEXT NOT NULL,
  milliseconds INTEGER NOT NULL,
  prompt_tokens INTEGER,
  cached_tokens INTEGER,
  completion_tokens INTEGER,
  cost REAL,
  error TEXT,
  error_text TEXT,
  finish_reason TEXT,
  answer TEXT,
  CHECK ((answer IS NULL) = (error IS NOT NULL))
) STRICT;
CREATE INDEX attempts_by_job ON attempts (job);
CREATE INDEX attempts_by_run ON attempts (run, error, prompt_tokens, cached_tokens, completion_tokens, cost);

CREATE TABLE workers (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  process INTEGER NOT NULL,
  born TEXT NOT NULL,
  seen REAL NOT NULL
) STRICT;

CREATE TABLE claims (
  key TEXT PRIMARY KEY,
  worker INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
""",
    """
CREATE TABLE preferences (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  first_reply INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  second_reply INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  judge TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  prompt_text INTEGER REFERENCES texts (id),
  persona_text INTEGER REFERENCES texts (id),
  status TEXT NOT NULL CHECK (status IN ('chosen', 'unjudged')),
  reason TEXT,
  detail TEXT,
  choice TEXT CHECK (choice IN ('first', 'second', 'neither')),
  confirmed INTEGER CHECK (confirmed IN (0, 1)),
  final INTEGER NOT NULL,
  ended TEXT NOT NULL,
  said TEXT,
  CHECK ((status = 'chosen') = (choice IS NOT NULL)),
  CHECK ((status = 'chosen') = (said IS NOT NULL)),
  CHECK ((status = 'unjudged') = (reason IS NOT NULL))
) STRICT;
CREATE INDEX preferences_by_first_reply ON preferences (first_reply);
CREATE INDEX preferences_by_second_reply ON preferences (second_reply);
""",
    """
CREATE TABLE labels (
  id INTEGER PRIMARY KEY,
  reply INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  rater TEXT NOT NULL,
  cluster TEXT,
  answers TEXT NOT NULL,
  notes TEXT NOT NULL,
  part TEXT CHECK (part IN ('random', 'targeted')),
  weight REAL CHECK (weight > 0),
  labelled TEXT NOT NULL,
  UNIQUE (reply, rater)
) STRICT;
""",
    """
CREATE TABLE calibrations (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  judge TEXT NOT NULL,
  settings TEXT NOT NULL,
  rubric_hash TEXT NOT NULL,
  prompt_hash TEXT,
  labels_hash TEXT NOT NULL,
  run_name TEXT NOT NULL,
  kept TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX calibrations_by_judge ON calibrations (judge);
""",
)
"""What makes version N + 1 of version N."""

/** "PaHo" in the file's header (offset 68) identifies our files. */
export const APPLICATION_ID = 0x50_61_48_6f;

/** `user_version` in the file's header (offset 60). A file with a higher number is refused. */
export const FORMAT_VERSION = 1;

/** The owner of something: a process, where it runs, and when it was last active by both clocks. */
const HOLDER_COLUMNS = `host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT,
  realm TEXT,
  renewed_at_ms REAL NOT NULL,
  renewed_ticks_ms REAL NOT NULL`;

/** The database itself ensures that a fencing number is never used twice, whatever program opens the file. */
export const SCHEMA: readonly string[] = [
  `CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  generation INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('free', 'held')),
  holder TEXT NOT NULL,
  owner TEXT NOT NULL,
  taken_at_ms REAL NOT NULL,
  ${HOLDER_COLUMNS},
  last_done_at_ms REAL,
  last_scan_at_ms REAL
) STRICT`,
  `CREATE TRIGGER lease_stays BEFORE DELETE ON lease
BEGIN SELECT RAISE(ABORT, 'a lease is never deleted: its generation would begin anew'); END`,
  `CREATE TRIGGER generation_never_falls BEFORE UPDATE ON lease WHEN NEW.generation < OLD.generation
BEGIN SELECT RAISE(ABORT, 'a generation never falls'); END`,
  `CREATE TABLE address (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  team TEXT NOT NULL,
  name TEXT NOT NULL,
  session TEXT NOT NULL,
  token TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'stopped')),
  socket TEXT,
  ${HOLDER_COLUMNS},
  UNIQUE (team, name)
) STRICT`,
  // Message numbers increase in sending order and are never reused: they are the order per pair. A body is a blob, because Node
  // 22 reads a text only up to its first NUL.
  `CREATE TABLE message (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  receiver INTEGER NOT NULL REFERENCES address (number),
  sender_name TEXT NOT NULL,
  sender_session TEXT NOT NULL,
  id TEXT NOT NULL,
  digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'acknowledged')),
  sent_at_ms REAL NOT NULL,
  kind TEXT NOT NULL,
  in_reply_to TEXT,
  summary TEXT,
  body BLOB,
  UNIQUE (sender_session, id, receiver)
) STRICT`,
  "CREATE INDEX message_waiting ON message (receiver, number) WHERE state = 'waiting'",
  "CREATE INDEX message_acknowledged ON message (sender_session, number) WHERE state = 'acknowledged'",
  // Daily budgets of tokens.
  `CREATE TABLE spent (
  name TEXT NOT NULL,
  day TEXT NOT NULL,
  tokens REAL NOT NULL,
  PRIMARY KEY (name, day)
) STRICT, WITHOUT ROWID`,
  // Attempts at the work that a lease guards.
  `CREATE TABLE tries (
  name TEXT PRIMARY KEY,
  tried_at_ms REAL NOT NULL,
  failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
  // `wakeup` has a row for each session that is to run or runs: `due_at_ms` is when it is to run, or when whoever has it counts as
  // gone: a worker (`held`), or a process that has `sent` it to another engine. `version` counts its wakes, `done_version` those
  // that a finished run has covered. A reminder becomes `ready` when its time comes.
  `CREATE TABLE wakeup (
  session TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'held', 'set-aside')),
  due_at_ms REAL NOT NULL,
  version INTEGER NOT NULL,
  done_version INTEGER NOT NULL DEFAULT 0,
  run INTEGER NOT NULL DEFAULT 0,
  sender INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  set_aside_at_ms REAL,
  failure TEXT
) STRICT, WITHOUT ROWID`,
  "CREATE INDEX wakeup_due ON wakeup (due_at_ms) WHERE state <> 'set-aside'",
  `CREATE TABLE reminder (
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'ready')),
  due_at_ms REAL NOT NULL,
  reason TEXT NOT NULL,
  past_entry INTEGER,
  run INTEGER,
  PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID`,
  "CREATE INDEX reminder_due ON reminder (due_at_ms) WHERE state = 'waiting'",
  "CREATE TABLE run_number (number INTEGER PRIMARY KEY AUTOINCREMENT) STRICT",
  // An item without a payload was acknowledged: its key stays.
  `CREATE TABLE inbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  payload TEXT,
  fingerprint TEXT NOT NULL,
  traceparent TEXT,
  added_at_ms REAL NOT NULL,
  UNIQUE (session, key)
) STRICT`,
  "CREATE INDEX inbox_waiting ON inbox (session, number) WHERE payload IS NOT NULL",
  `CREATE TABLE approval (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  call_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  input TEXT NOT NULL,
  reason TEXT,
  asked_at_ms REAL NOT NULL,
  expires_at_ms REAL,
  decision TEXT CHECK (decision IN ('allow', 'deny')),
  answer_reason TEXT,
  answered_by TEXT,
  answered_at_ms REAL,
  UNIQUE (session, call_id)
) STRICT`,
  "CREATE INDEX approval_pending ON approval (number) WHERE decision IS NULL",
  `CREATE TRIGGER approval_is_answered_once BEFORE UPDATE ON approval WHEN OLD.decision IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a question is answered once'); END`,
  // One row for the offsets of a session, and one for each batch of events.
  `CREATE TABLE event_stream (
  session TEXT PRIMARY KEY,
  oldest_offset INTEGER NOT NULL DEFAULT 1,
  newest_offset INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0,
  batch TEXT
) STRICT, WITHOUT ROWID`,
  `CREATE TABLE event (
  session TEXT NOT NULL,
  last_offset INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  at_ms REAL NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (session, last_offset)
) STRICT, WITHOUT ROWID`,
];

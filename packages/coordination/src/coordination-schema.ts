/** "PaHo" in the file's header (offset 68) identifies our files. */
export const APPLICATION_ID = 0x50_61_48_6f;

/** `user_version` in the file's header (offset 60). It increases when earlier releases can no longer use a file. */
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
];

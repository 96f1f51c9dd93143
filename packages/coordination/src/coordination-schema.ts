/** "PaHo" in the file's header (offset 68): whose file it is. */
export const APPLICATION_ID = 0x50_61_48_6f;

/** `user_version` in the file's header (offset 60). Rises when a file can no longer be used by what was released before. */
export const FORMAT_VERSION = 1;

/** Who holds something: a process, where it runs, and when it was heard of last by the two clocks there are. */
const HOLDER_COLUMNS = `host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT,
  realm TEXT,
  renewed_at_ms REAL NOT NULL,
  renewed_ticks_ms REAL NOT NULL`;

/** The database itself sees to it that a number which fences is never given twice, whatever program opens the file. */
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
  // The numbers of messages rise in the order in which they were sent and are not used twice: they are the order per pair.
  // A body is a blob, because Node 22 reads a text only up to its first NUL.
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

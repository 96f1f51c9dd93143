import type { RecordedAgent } from "@palimpsest/transcripts";
import type { Operands } from "./command-definition.ts";
import {
  A_SESSION,
  AGENTS,
  BASE_URL,
  type Flag,
  JSON_OUTPUT,
  MODEL,
  PROVIDER,
  SESSION,
  type SessionCommand,
  sessionCommand,
  type Value,
  WHICH,
} from "./command-options.ts";

/** Commands about stored sessions. */
export const SESSION_COMMANDS = {
  sessions: {
    usage: "sessions [delete ID] [--from AGENT] [--json]",
    about: "list the sessions of this folder, the newest first, or those of another agent; delete one",
    operands: { most: 2, completes: ["delete"] } as Operands,
    options: {
      json: JSON_OUTPUT as Flag,
      ids: { type: "boolean", about: "only their ids, one a line: opens none of them" },
      from: {
        type: "string",
        value: "AGENT",
        of: AGENTS as readonly RecordedAgent[],
        about: "what it left on this machine",
      },
    },
    examples: [
      ["palimpsest sessions", "a table: id, last use, entries, model, how it began"],
      ["palimpsest sessions --from codex", "files of Codex, for analyze and import"],
      ["palimpsest sessions delete 3f2a", "the session that begins with 3f2a, its agents and all their results"],
    ],
    endings: ["failed"],
  },
  import: {
    usage: "import FILE|DIR [--json]",
    about: "import sessions of Claude Code, Codex, pi, Gemini CLI, Qwen Code, opencode or cline",
    more: ["What was imported before is left as it is."],
    options: { json: JSON_OUTPUT as Flag },
    operands: { most: 1 },
    examples: [["palimpsest import ~/.claude/projects", "each becomes a session of this folder"]],
    endings: ["failed"],
  },
  analyze: {
    usage: "analyze FILE|DIR [--html OUT]",
    about: "show what another agent's sessions spent, on what, and what was lost; as text, --json or a page",
    options: {
      html: { type: "string", value: "OUT", about: "writes a page with charts that opens without a network" },
      price: {
        type: "string",
        multiple: true,
        value: "MODEL=INPUT,OUTPUT,READ[,WRITE]",
        about: "dollars for a million tokens, where our list is not yours; may be given several times",
      },
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1 },
    examples: [["palimpsest analyze ~/.codex/sessions --html spent.html", "all of them, summed up"]],
    endings: ["failed"],
  },
  show: {
    usage: "show [ID] [--entry N]",
    about: "show the whole conversation, with everything that was compacted or cleared since; or one entry",
    more: [WHICH as string],
    options: { entry: { type: "string", value: "N", about: "only this entry, all of it" }, json: JSON_OUTPUT as Flag },
    operands: A_SESSION as Operands,
    examples: [
      ["palimpsest show | less", "the newest session from its beginning"],
      ["palimpsest show 3f2a --entry 17", "entry 17 of the session that begins with 3f2a"],
    ],
    endings: ["failed"],
  },
  export: {
    usage: "export [ID]",
    about: "print a session's whole log as lines of JSON",
    more: [WHICH as string],
    options: {},
    operands: A_SESSION as Operands,
    examples: [["palimpsest export > session.jsonl", "the newest session, one entry a line"]],
    endings: ["failed"],
  },
  context: sessionCommand("context [ID] [--json]", "show what fills the context window", [
    "palimpsest context",
    "tokens by part, the largest first, and when it will be compacted",
  ]) as SessionCommand,
  cost: sessionCommand("cost [ID] [--json]", "show what a session cost, on what, and what cache misses cost", [
    "palimpsest cost --json | jq .priceUsd",
    "what the newest session has cost, in US dollars",
  ]) as SessionCommand,
  replay: {
    usage: "replay FILE [--policy NAME]...",
    about: "compute what a recorded session would have cost under other policies; sends nothing",
    more: [
      "Each policy sees the same conversation, on the recorded clock. What it has cleared or folded and the recording needs later is fetched again, and paid for. The prices and the cache are those of a simulator.",
    ],
    options: {
      policy: {
        type: "string",
        multiple: true,
        value: "NAME",
        about: "append-only, window167 and default by default; a wrong name lists all; may be given several times",
      },
      model: { type: "string", value: "ID", about: "whose prices and window; claude-opus-4-8 by default" },
      ttl: { type: "string", value: "WORD", of: ["5m", "1h"], about: "how long a prompt stays cached; 5m by default" },
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1 },
    examples: [["palimpsest replay session.jsonl --policy default --policy append-only", "two of them, side by side"]],
    endings: ["failed"],
  },
  compact: {
    usage: "compact [TEXT] [--from ENTRY | --up-to ENTRY] [--session ID]",
    about: "summarize the conversation to free up context; TEXT says what to keep",
    more: [
      "A model is asked for the summary, so this needs a key. Nothing is lost: undo takes it back.",
      "palimpsest show numbers the entries.",
    ],
    options: {
      from: { type: "string", value: "ENTRY", about: "only this message and all behind it" },
      "up-to": { type: "string", value: "ENTRY", about: "only what stands before this message" },
      session: SESSION as Value,
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1_000 },
    examples: [
      ["palimpsest compact Keep the numbers of the tickets", "the newest session, with a wish"],
      ["palimpsest compact --up-to 120", "what was said before entry 120; the rest stays word for word"],
    ],
    endings: ["failed", "interrupted"],
  },
  undo: sessionCommand("undo [ID]", "undo the newest compaction", [
    "palimpsest undo",
    "the model sees again what it had seen before",
  ]) as SessionCommand,
  rewind: {
    usage: "rewind [ENTRY] [--session ID]",
    about: "take back your newest message, or that of ENTRY, with all answers and file changes since",
    more: ["Files that something else has changed since are left as they are, and named."],
    options: {
      session: SESSION as Value,
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1 },
    examples: [["palimpsest rewind", "your newest message was never said"]],
    endings: ["failed"],
  },
} as const;

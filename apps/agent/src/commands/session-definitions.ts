import type { RecordedAgent } from "@palimpsest/observe";
import {
  A_SESSION,
  AGENTS,
  BASE_URL,
  type Flag,
  JSON_OUTPUT,
  MODEL,
  type Operands,
  PROVIDER,
  SESSION,
  type SessionCommand,
  sessionCommand,
  type Value,
  WHICH,
} from "./definition.ts";
import { DATABASE, PASSWORDS } from "./server-definitions.ts";

/** The definitions of commands about stored sessions. */
export const SESSION_COMMANDS = {
  sessions: {
    usage: "sessions [COMMAND] [--from AGENT] [--json]",
    about:
      "list the sessions of this folder, the newest first, or those of another agent; show, export, import, compact, undo, rewind or delete one",
    options: {
      json: JSON_OUTPUT as Flag,
      ids: { type: "boolean", about: "print only the ids, one per line; opens no session" },
      from: {
        type: "string",
        value: "AGENT",
        of: AGENTS as readonly RecordedAgent[],
        about: "list sessions of another agent on this machine",
      },
    },
    examples: [
      ["palimpsest sessions", "list id, last use, entries, model and first message"],
      ["palimpsest sessions --from codex", "list the sessions of Codex, for analyze and import"],
    ],
    endings: ["failed"],
  },
  "sessions show": {
    usage: "sessions show [ID] [--entry N]",
    about: "show the whole conversation, with everything that was compacted or cleared since; or one entry",
    more: [WHICH as string],
    options: {
      entry: { type: "string", value: "N", about: "show only this entry, in full" },
      json: JSON_OUTPUT as Flag,
    },
    operands: A_SESSION as Operands,
    examples: [
      ["palimpsest sessions show | less", "read the newest session from its beginning"],
      ["palimpsest sessions show 3f2a --entry 17", "show entry 17 of the session whose id starts with 3f2a"],
    ],
    endings: ["failed"],
  },
  "sessions export": {
    usage: "sessions export [ID]",
    about: "print a session's whole log as lines of JSON",
    more: [WHICH as string],
    options: {},
    operands: A_SESSION as Operands,
    examples: [["palimpsest sessions export > session.jsonl", "export the newest session, one entry per line"]],
    endings: ["failed"],
  },
  "sessions import": {
    usage: "sessions import FILE|DIR [--json]",
    about: "import sessions of Claude Code, Codex, pi, Gemini CLI, Qwen Code, opencode or cline",
    more: ["Sessions that were imported before stay unchanged."],
    options: { json: JSON_OUTPUT as Flag },
    operands: { most: 1 },
    examples: [
      ["palimpsest sessions import ~/.claude/projects", "import all sessions of Claude Code into this folder"],
    ],
    endings: ["failed"],
  },
  "sessions notes": {
    usage: "sessions notes [ID] [--update] [--json]",
    about: "show the notes that a session keeps about itself, when they were updated and what they cost",
    more: [
      WHICH as string,
      "Your own sections and your own prompt: notes-template.md and notes-prompt.md in ~/.palimpsest.",
    ],
    options: {
      update: { type: "boolean", about: "update the notes first; a model writes them, so this needs an API key" },
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      json: JSON_OUTPUT as Flag,
    },
    operands: A_SESSION as Operands,
    examples: [
      ["palimpsest sessions notes", "show the notes of the newest session"],
      [
        "palimpsest sessions notes 3f2a --update",
        "update the notes of the session whose id starts with 3f2a, and show them",
      ],
    ],
    endings: ["failed", "interrupted"],
  },
  "sessions context": sessionCommand("sessions context [ID] [--json]", "show what fills the context window", [
    "palimpsest sessions context",
    "show tokens by part, largest first, and when the next compaction comes",
  ]) as SessionCommand,
  "sessions cost": sessionCommand(
    "sessions cost [ID] [--json]",
    "show what a session cost, on what, and what cache misses cost",
    ["palimpsest sessions cost --json | jq .priceUsd", "print the cost of the newest session in US dollars"],
  ) as SessionCommand,
  "sessions compact": {
    usage: "sessions compact [TEXT] [--from ENTRY | --up-to ENTRY] [--session ID]",
    about: "summarize the conversation to free up context; TEXT says what to keep",
    more: [
      "A model writes the summary, so this needs an API key. palimpsest sessions undo brings the whole conversation back.",
      "palimpsest sessions show prints the entry numbers.",
    ],
    options: {
      from: { type: "string", value: "ENTRY", about: "compact only from this message to the end" },
      "up-to": { type: "string", value: "ENTRY", about: "compact only what comes before this message" },
      session: SESSION as Value,
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1_000 },
    examples: [
      [
        "palimpsest sessions compact Keep the numbers of the tickets",
        "compact the newest session, and say what to keep",
      ],
      ["palimpsest sessions compact --up-to 120", "compact everything before entry 120; the rest stays word for word"],
    ],
    endings: ["failed", "interrupted"],
  },
  "sessions rewind": {
    usage: "sessions rewind [ENTRY] [--session ID]",
    about: "go back to before your newest message, or message ENTRY; undoes answers and file changes since",
    more: ["A file that was also changed by you or another program stays unchanged, and is listed."],
    options: {
      session: SESSION as Value,
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1 },
    examples: [["palimpsest sessions rewind", "undo your newest message, its answer and its file changes"]],
    endings: ["failed"],
  },
  "sessions undo": sessionCommand("sessions undo [ID]", "undo the newest compaction", [
    "palimpsest sessions undo",
    "show the whole conversation to the model again",
  ]) as SessionCommand,
  "sessions delete": {
    usage: "sessions delete ID",
    about: "delete a session, with its agents and stored results",
    options: {},
    operands: A_SESSION as Operands,
    examples: [["palimpsest sessions delete 3f2a", "delete the session whose id starts with 3f2a"]],
    endings: ["failed"],
  },
  analyze: {
    usage: "analyze FILE|DIR [--html OUT]",
    about: "show what another agent's sessions spent, on what, and what was lost; as text, --json or a page",
    options: {
      html: { type: "string", value: "OUT", about: "write the inspector's page as one file; it needs no server" },
      price: {
        type: "string",
        multiple: true,
        value: "MODEL=INPUT,OUTPUT,READ[,WRITE]",
        about: "your own price in US dollars per million tokens; repeat for more models",
      },
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1 },
    examples: [
      ["palimpsest analyze ~/.codex/sessions --html spent.html", "write one page about all sessions of Codex"],
    ],
    endings: ["failed"],
  },
  inspect: {
    usage: "inspect [ID | PATH | --live] [--html OUT | --port N] [--database URL --tenant NAME]",
    about: "show sessions in a browser: what the model saw at any moment, what it cost, what was lost",
    more: [
      "Prints an address for a browser of this machine. It lets one browser in, once; run the command again for another. Nothing is sent anywhere. Nothing is changed unless you undo a compaction in the page.",
      "ID is a session of this folder, or the first characters of its id. PATH is the folder in which your program stores its sessions (sqliteStore), a transcript of another agent, a log of palimpsest proxy, or a folder of them. Without either: all sessions of this folder, also those of other agents.",
      PASSWORDS as string,
    ],
    options: {
      live: { type: "boolean", about: "open the newest session of this folder, and follow it while it runs" },
      html: {
        type: "string",
        value: "OUT",
        about: "write one session, by default the newest, as a page in one file that needs no server, and end",
      },
      database: DATABASE as Value,
      tenant: { type: "string", value: "NAME", about: "show sessions of this tenant of a service in PostgreSQL" },
      memory: {
        type: "string",
        value: "NAME",
        about: "show this memory of the tenant, such as that of a user; read only",
      },
      port: { type: "string", value: "N", about: "the port to listen on; default: any free one" },
    },
    operands: A_SESSION as Operands,
    examples: [
      ["palimpsest inspect", "choose among the sessions of this folder"],
      ["palimpsest inspect --live", "watch the newest session"],
      ["palimpsest inspect --html session.html", "save the newest session as a page, to read later or to send"],
      ["palimpsest inspect ./sessions", "look at the sessions of your own program"],
      ["palimpsest inspect ~/.claude/projects", "look at all sessions of Claude Code"],
      ["palimpsest inspect --tenant acme 3f2a", "look at a session of a service; DATABASE_URL names its database"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  replay: {
    usage: "replay FILE [--policy NAME]...",
    about: "compute what a recorded session would have cost under other policies; sends nothing",
    more: [
      "Each policy gets the same conversation with the recorded times. If the recording later needs something that the policy has cleared or compacted, the replay fetches it again and counts the cost. Prices and cache come from a simulator.",
    ],
    options: {
      policy: {
        type: "string",
        multiple: true,
        value: "NAME",
        about: "a policy to compute; default: append-only, window167 and default; repeat for more policies",
      },
      model: {
        type: "string",
        value: "ID",
        about: "use the prices and window of this model; default: claude-opus-4-8",
      },
      ttl: { type: "string", value: "WORD", of: ["5m", "1h"], about: "how long a prompt stays cached; default: 5m" },
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1 },
    examples: [["palimpsest replay session.jsonl --policy default --policy append-only", "compare two policies"]],
    endings: ["failed"],
  },
} as const;

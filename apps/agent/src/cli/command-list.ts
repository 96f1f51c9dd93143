import type { RecordedAgent } from "@palimpsest/transcripts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import { MODES } from "../permissions/settings-schema.ts";
import { PROVIDERS } from "./choose-provider.ts";
import type { CommandDefinition, Operands, OptionDefinition } from "./command-definition.ts";

type Flag = OptionDefinition & { readonly type: "boolean"; readonly multiple?: false };
type Value = OptionDefinition & { readonly type: "string"; readonly multiple?: false };

const JSON_OUTPUT: Flag = { type: "boolean", about: "prints JSON, for programs" };
const MODEL: Value = {
  type: "string",
  value: "NAME",
  about: "the model; by default the session's, or the provider's usual one",
};
const PROVIDER: Value = {
  type: "string",
  value: "WORD",
  of: PROVIDERS,
  about: "whose API is spoken; by default that of the key that there is",
};
const BASE_URL: Value = {
  type: "string",
  value: "URL",
  about: 'any endpoint that speaks the provider\'s API; the session remembers it, "" forgets it',
};

/** `RECORDED_AGENTS`, without loading what reads them. */
const AGENTS: readonly RecordedAgent[] = ["claude-code", "codex", "pi", "gemini", "qwen", "opencode", "cline"];

const A_SESSION: Operands = { most: 1, completes: "sessions" };
const WHICH = "ID is the id of a session of this folder, or its beginning. Without it, the newest is meant.";

/** What the program can do; `cli/commands.ts` knows where. */
export const COMMANDS = {
  run: {
    usage: '[-p "PROMPT"]',
    about: "the agent: a conversation on the screen, or with -p one turn without it",
    more: [
      "Without -p, in a terminal, the conversation is held there; /help lists what can be done in it.",
      "With -p nobody can be asked. What would have to be asked is denied, and the output names the rule that would allow it.",
      "The answer goes to the standard output, what happens meanwhile to the standard error. With json the output is one object at the end, with stream-json one event a line.",
    ],
    options: {
      prompt: { type: "string", short: "p", value: "TEXT", about: 'what to do; "-" reads it from the standard input' },
      continue: { type: "boolean", short: "c", about: "go on with the newest session of this folder" },
      resume: {
        type: "string",
        short: "r",
        value: "ID",
        completes: "sessions",
        about: "go on with a session; the beginning of its id is enough",
      },
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      mode: {
        type: "string",
        value: "WORD",
        of: Object.keys(MODES) as readonly PermissionMode[],
        about: "what needs no permission",
      },
      allow: {
        type: "string",
        multiple: true,
        value: "RULE",
        about: "Bash(npm test *), Edit(src/**), Network; may be given several times",
      },
      deny: { type: "string", multiple: true, value: "RULE", about: "the same, and stronger than any that allows" },
      set: {
        type: "string",
        multiple: true,
        value: "NAME=VALUE",
        about: "an engine setting (docs/defaults.md), stronger than variables and files; may be given several times",
      },
      name: {
        type: "string",
        value: "NAME",
        about: "what other sessions of this project call it: they write to it with SendMessage; it keeps the name",
      },
      stay: {
        type: "boolean",
        about: "waits for messages of other sessions when it is done, a turn for each, until it is asked to end",
      },
      web: {
        type: "boolean",
        about: "with a tool that fetches pages of the public internet; --allow Network lets it",
      },
      "screen-reader": { type: "boolean", about: "plain lines, without frames and moving parts" },
      "max-rounds": { type: "string", value: "N", about: "stop after so many responses" },
      "max-usd": {
        type: "string",
        value: "AMOUNT",
        about: "stop once so much was spent, by our price list; a response that was begun is paid for",
      },
      "output-format": { type: "string", value: "WORD", of: ["text", "json", "stream-json"], about: "text by default" },
      "input-format": {
        type: "string",
        value: "WORD",
        of: ["text", "stream-json"],
        about: 'text by default; stream-json is lines of {"kind":"user","text":"..."}, a turn for each',
      },
    },
    operands: { most: 1 },
    examples: [
      ["palimpsest", "a conversation; --continue goes on with the newest, where a turn was cut short"],
      [`palimpsest -p "Fix the failing test" --mode accept-edits --allow 'Bash(npm test *)'`, "a turn"],
      ['git diff | palimpsest -p "Review this:" -', "the standard input behind the prompt"],
      ['palimpsest --continue -p "Now the docs"', "the newest session of this folder goes on"],
      ['palimpsest -p "You test what others write" --name tester --stay', "a teammate in a terminal of its own"],
    ],
    endings: ["failed", "refused", "roundsUsedUp", "budgetUsedUp", "interrupted", "terminated"],
  },
  sessions: {
    usage: "sessions [--from AGENT] [--json]",
    about: "the sessions of this folder, the newest first; with --from AGENT those of another agent",
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
    ],
    endings: ["failed"],
  },
  import: {
    usage: "import FILE|DIR [--json]",
    about: "sessions of Claude Code, Codex, pi, Gemini CLI, Qwen Code, opencode or cline become sessions here",
    more: ["What was imported before is left as it is."],
    options: { json: JSON_OUTPUT as Flag },
    operands: { most: 1 },
    examples: [["palimpsest import ~/.claude/projects", "each becomes a session of this folder"]],
    endings: ["failed"],
  },
  analyze: {
    usage: "analyze FILE|DIR [--html OUT]",
    about: "what another agent's sessions spent, on what, and what was lost; as text, --json or a page",
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
    about: "a session as it was said, whatever was folded or cleared since; or one entry in whole",
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
    about: "a session's whole log as lines of JSON",
    more: [WHICH as string],
    options: {},
    operands: A_SESSION as Operands,
    examples: [["palimpsest export > session.jsonl", "the newest session, one entry a line"]],
    endings: ["failed"],
  },
  context: {
    usage: "context [ID] [--json]",
    about: "what fills the window",
    more: [WHICH as string],
    options: { json: JSON_OUTPUT as Flag },
    operands: A_SESSION as Operands,
    examples: [["palimpsest context", "tokens by part, the largest first, and when it will be compacted"]],
    endings: ["failed"],
  },
  cost: {
    usage: "cost [ID] [--json]",
    about: "what was spent, on what, and what was lost to which cause",
    more: [WHICH as string],
    options: { json: JSON_OUTPUT as Flag },
    operands: A_SESSION as Operands,
    examples: [["palimpsest cost --json | jq .priceUsd", "what the newest session has cost, in US dollars"]],
    endings: ["failed"],
  },
  replay: {
    usage: "replay FILE [--policy NAME]...",
    about: "what a recorded session would have cost under other policies; nothing is sent anywhere",
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
    about: "summarizes the conversation to free up context; TEXT says what to keep",
    more: [
      "A model is asked for the summary, so this needs a key. Nothing is lost: undo takes it back.",
      "palimpsest show numbers the entries.",
    ],
    options: {
      from: { type: "string", value: "ENTRY", about: "only this message and all behind it" },
      "up-to": { type: "string", value: "ENTRY", about: "only what stands before this message" },
      session: {
        type: "string",
        value: "ID",
        completes: "sessions",
        about: "which; by default the newest of this folder",
      },
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
  undo: {
    usage: "undo [ID]",
    about: "takes the newest compaction back",
    more: [WHICH as string],
    options: { json: JSON_OUTPUT as Flag },
    operands: A_SESSION as Operands,
    examples: [["palimpsest undo", "the model sees again what it had seen before"]],
    endings: ["failed"],
  },
  rewind: {
    usage: "rewind [ENTRY] [--session ID]",
    about: "takes your newest message back, or that of ENTRY, and all since: the answers, and what tools did to files",
    more: ["Files that something else has changed since are left as they are, and named."],
    options: {
      session: {
        type: "string",
        value: "ID",
        completes: "sessions",
        about: "which; by default the newest of this folder",
      },
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1 },
    examples: [["palimpsest rewind", "your newest message was never said"]],
    endings: ["failed"],
  },
  agents: {
    usage: "agents [show|follow|stop|send ID ...] [--session ID]",
    about: "the agents of a session: what each is doing, its tokens and its price; stops one, or sends it a message",
    more: [
      "show ID: what one has said last. follow ID: what it says and does, as it comes. stop ID: ends one that runs. send ID TEXT: it reads the message before its next request; one that has ended goes on, here, if nothing else runs the session.",
      "ID is an agent's id, its beginning, or its name; for send also the name of another session of this project that runs.",
    ],
    options: {
      session: {
        type: "string",
        value: "ID",
        completes: "sessions",
        about: "which session; by default the newest of this folder",
      },
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      json: JSON_OUTPUT as Flag,
    },
    operands: { most: 1_000, completes: ["list", "show", "follow", "stop", "send"] },
    examples: [
      ["palimpsest agents", "a tree: who, how it is, responses, tokens, price, time, what it did last"],
      ["palimpsest agents send worker Leave the tests alone", "one that has ended is woken by it"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  memory: {
    usage: "memory [WHAT ...]",
    about:
      "what is remembered of this project: list, show, search, inbox, accept, reject, forget, log, diff, undo, import, serve",
    more: [
      "list: the topics. show SLUG: one of them. search WORDS. forget SLUG [WHY]: it is not used any more; its text is kept.",
      "inbox: what waits for your yes, because it was not you who said it. accept SLUG, reject SLUG.",
      "log: every change. diff [COMMIT]: one of them. undo COMMIT: takes it back. Topics are files; edit them by hand as you like.",
      "import FILE ...: each section of a file of instructions (CLAUDE.md and the like) becomes a topic.",
      "serve: offers the memory to other programs, as a server of tools (Model Context Protocol) on standard input and output. What they write waits in the inbox.",
    ],
    options: {
      agent: { type: "string", value: "NAME", about: "what this kind of agent remembers, instead of the project's" },
      json: JSON_OUTPUT as Flag,
    },
    operands: {
      most: 1_000,
      completes: [
        "list",
        "show",
        "search",
        "inbox",
        "accept",
        "reject",
        "forget",
        "log",
        "diff",
        "undo",
        "import",
        "serve",
      ],
    },
    examples: [
      ["palimpsest memory", "all topics, and where they are"],
      ["palimpsest memory inbox", "what waits for a yes"],
      ["palimpsest memory forget package-manager It is pnpm now", "with the reason"],
    ],
    endings: ["failed"],
  },
  dream: {
    usage: "dream [--if-due] [--dry-run] [--yes]",
    about: "goes over what is remembered: merges, corrects and prunes topics, as one change that can be undone",
    more: [
      "Sessions since the last time are searched for what has changed. A run that would take away or rewrite much is held, and --yes carries it out. Ctrl-C stops it, and then nothing was changed.",
    ],
    options: {
      "dry-run": { type: "boolean", about: "shows what would be changed, and changes nothing" },
      "if-due": {
        type: "boolean",
        about:
          "only if enough time and sessions have passed (dream.hours, dream.sessions); for jobs that run by the clock",
      },
      yes: { type: "boolean", about: "carries out what the last run held back; no model is asked" },
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      json: JSON_OUTPUT as Flag,
    },
    examples: [["palimpsest dream --dry-run", "what would become of the topics"]],
    endings: ["failed", "interrupted", "terminated"],
  },
  config: {
    usage: "config [quality|balanced|economy] [--json]",
    about: "shows the profile and the settings that are not defaults; with a name, chooses the profile",
    more: ["The profile is kept in engine.json in ~/.palimpsest. docs/defaults.md lists all settings."],
    options: { json: JSON_OUTPUT as Flag },
    operands: { most: 1, completes: ["quality", "balanced", "economy"] },
    examples: [["palimpsest config quality", "compact only when the window is nearly full"]],
    endings: [],
  },
  doctor: {
    usage: "doctor [--live] [--json]",
    about: "what the agent needs, and what is missing; nothing is sent anywhere without --live",
    more: [
      "With --live, nine small calls at most are made to the service, with your key: model and limits, an answer and its usage, the order of the stream, counting, a tool and thinking there and back, the prompt cache, and how too much is refused. The likely price is said before, what was used behind it. Then the same is asked of the built-in simulator, and every difference is named.",
      "It ends with 1 if something does not hold that the agent relies on. A difference from the simulator alone is no failure.",
    ],
    options: {
      live: { type: "boolean", about: "asks the service itself; costs a few cents at most" },
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      "max-usd": {
        type: "string",
        value: "AMOUNT",
        about: "with --live: leaves out a request that might cost more; 0.1 by default",
      },
      server: {
        type: "string",
        value: "NAME",
        about:
          "with --live and --base-url: which server it is held against; vLLM by default, and a wrong name lists all",
      },
      json: JSON_OUTPUT as Flag,
    },
    examples: [
      ["palimpsest doctor", "home, sessions, settings, sandbox, key"],
      ["palimpsest doctor --live", "the service with this key and the usual model"],
      [
        "palimpsest doctor --live --provider openai-chat --base-url http://127.0.0.1:8080/v1 --model NAME --server llama.cpp",
        "a server on this machine",
      ],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  trust: {
    usage: "trust [--yes]",
    about: "shows what this project's settings want, and lets them hold",
    more: [
      "Before that a project can only forbid. Trusted are its settings as they are: once they change, this is asked again.",
    ],
    options: { yes: { type: "boolean", about: "they hold from now on, as they are" } },
    examples: [["palimpsest trust", "what .palimpsest/settings.json wants: rules, hooks, folders"]],
    endings: ["failed"],
  },
  demo: {
    usage: "demo",
    about: "a long session in a minute, against a built-in simulator: no key, no cost",
    options: {},
    examples: [["palimpsest demo", "results stored and cleared, notes, a compaction, recall, undo"]],
    endings: ["failed"],
  },
  completion: {
    usage: "completion bash|zsh|fish",
    about: "prints what lets a shell complete commands, options and sessions",
    options: {},
    operands: { most: 1, completes: ["bash", "zsh", "fish"] },
    examples: [
      ['eval "$(palimpsest completion bash)"', "in ~/.bashrc"],
      ['eval "$(palimpsest completion zsh)"', "in ~/.zshrc, behind compinit"],
      ["palimpsest completion fish > ~/.config/fish/completions/palimpsest.fish", "once"],
    ],
    endings: [],
  },
  help: {
    usage: "help [COMMAND]",
    about: "this page, or that of a command",
    options: {},
    operands: { most: 1, completes: "commands" },
    examples: [["palimpsest help doctor", "the same as palimpsest doctor --help"]],
    endings: [],
  },
} as const;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[];

/** A command with no more known of it than of any. */
export function definitionOf(name: CommandName): CommandDefinition {
  return COMMANDS[name];
}

import { BASE_URL, type Flag, JSON_OUTPUT, MODEL, PROVIDER, SESSION, type Value } from "./command-options.ts";

/** Commands about agents, memory and the program itself. */
export const PROGRAM_COMMANDS = {
  agents: {
    usage: "agents [show|follow|stop|send ID ...] [--session ID]",
    about: "list the agents of a session with their tokens and cost; follow or stop one, or send it a message",
    more: [
      "show ID: what one has said last. follow ID: what it says and does, as it comes. stop ID: ends one that runs. send ID TEXT: it reads the message before its next request; one that has ended goes on, here, if nothing else runs the session.",
      "ID is an agent's id, its beginning, or its name; for send also the name of another session of this project that runs.",
    ],
    options: {
      session: SESSION as Value,
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
      "manage the memory of this project: list, show, search, inbox, accept, reject, forget, log, diff, undo, import, serve",
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
    about: "tidy the memory: merge, correct and prune topics, as one change that can be undone",
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
    about: "show the profile and the settings that are not defaults; with a name, choose the profile",
    more: ["The profile is kept in engine.json in ~/.palimpsest. docs/defaults.md lists all settings."],
    options: { json: JSON_OUTPUT as Flag },
    operands: { most: 1, completes: ["quality", "balanced", "economy"] },
    examples: [["palimpsest config quality", "compact only when the window is nearly full"]],
    endings: [],
  },
  doctor: {
    usage: "doctor [--live] [--json]",
    about: "check what the agent needs and what is missing; sends nothing without --live",
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
    about: "show what this project's settings ask for; with --yes, apply them",
    more: [
      "Before that a project can only forbid. Trusted are its settings as they are: once they change, this is asked again.",
    ],
    options: { yes: { type: "boolean", about: "they hold from now on, as they are" } },
    examples: [["palimpsest trust", "what .palimpsest/settings.json wants: rules, hooks, folders"]],
    endings: ["failed"],
  },
  demo: {
    usage: "demo",
    about: "play a long session in a minute, against a built-in simulator: no key, no cost",
    options: {},
    examples: [["palimpsest demo", "results stored and cleared, notes, a compaction, recall, undo"]],
    endings: ["failed"],
  },
  completion: {
    usage: "completion bash|zsh|fish",
    about: "print the script that makes a shell complete commands, options and sessions",
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
    about: "show this page, or the page of a command",
    options: {},
    operands: { most: 1, completes: "commands" },
    examples: [["palimpsest help doctor", "the same as palimpsest doctor --help"]],
    endings: [],
  },
} as const;

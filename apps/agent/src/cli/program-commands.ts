import { BASE_URL, type Flag, JSON_OUTPUT, MODEL, PROVIDER, SESSION, type Value } from "./command-options.ts";

/** Commands about agents, memory and the program itself. */
export const PROGRAM_COMMANDS = {
  agents: {
    usage: "agents [show|follow|stop|send ID ...] [--session ID]",
    about: "list the agents of a session with their tokens and cost; follow or stop one, or send it a message",
    more: [
      "show ID: print the agent's last message. follow ID: print its messages and tool calls as they come. stop ID: stop a running agent. send ID TEXT: send a message; the agent reads it before its next request. An agent that has ended resumes in this process, unless another program has the session open.",
      "ID is the agent's id, its first characters, or its name. For send, it can also be the name of another running session of this project.",
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
      ["palimpsest agents", "list each agent with its state, tokens, cost, time and task"],
      ["palimpsest agents send worker Leave the tests alone", "send a message; resumes the agent if it has ended"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  memory: {
    usage: "memory [WHAT ...]",
    about:
      "manage the memory of this project: list, show, search, inbox, accept, reject, forget, log, diff, undo, import, serve",
    more: [
      "list: list the topics. show SLUG: print a topic. search WORDS: find topics. forget SLUG [WHY]: stop using a topic; its text stays in the history.",
      "inbox: list memories that wait for your approval, because they did not come from you. accept SLUG, reject SLUG: decide about one.",
      "log: list all changes. diff [COMMIT]: show a change. undo COMMIT: undo a change. Topics are files; you can edit them by hand.",
      "import FILE ...: import an instruction file such as CLAUDE.md; each section becomes a topic.",
      "serve: run an MCP server on standard input and output, so that other programs can use the memory. Their writes wait in the inbox.",
    ],
    options: {
      agent: {
        type: "string",
        value: "NAME",
        about: "use the memory of this kind of agent instead of the project's memory",
      },
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
      ["palimpsest memory", "list all topics, and their folder"],
      ["palimpsest memory inbox", "list memories that wait for your approval"],
      ["palimpsest memory forget package-manager It is pnpm now", "forget a topic, with the reason"],
    ],
    endings: ["failed"],
  },
  dream: {
    usage: "dream [--if-due] [--dry-run] [--yes]",
    about: "tidy the memory: merge, correct and prune topics, as one change that can be undone",
    more: [
      "A model reads the topics and the sessions since the last run. A run that would remove or rewrite many topics waits for your approval; --yes applies it. Ctrl-C stops a run and changes nothing.",
    ],
    options: {
      "dry-run": { type: "boolean", about: "show the changes without making them" },
      "if-due": {
        type: "boolean",
        about: "run only after enough hours and sessions (dream.hours, dream.sessions); for scheduled jobs",
      },
      yes: { type: "boolean", about: "apply the changes that wait for your approval; calls no model" },
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      json: JSON_OUTPUT as Flag,
    },
    examples: [["palimpsest dream --dry-run", "show what would change"]],
    endings: ["failed", "interrupted", "terminated"],
  },
  config: {
    usage: "config [quality|balanced|economy] [--json]",
    about: "show the profile and the settings that are not defaults; with a name, choose the profile",
    more: ["The profile is stored in ~/.palimpsest/engine.json. docs/defaults.md lists all settings."],
    options: { json: JSON_OUTPUT as Flag },
    operands: { most: 1, completes: ["quality", "balanced", "economy"] },
    examples: [["palimpsest config quality", "compact only when the window is nearly full"]],
    endings: [],
  },
  doctor: {
    usage: "doctor [--live | --database URL] [--json]",
    about: "check what the agent needs and what is missing; sends nothing without --live",
    more: [
      "With --live, the command makes at most nine small calls to the provider, with your key. They check the model and its limits, answers and their usage, the order of stream events, token counting, tool calls, thinking, the prompt cache, and the error for an input that is too long. The expected price is printed before, the actual usage after. Then the same calls go to the built-in simulator, and every difference is listed.",
      "With --database, the command checks only that: whether PostgreSQL can be reached, whether its schema fits this version, and the clock.",
      "The exit code is 1 if the provider behaves differently from what the agent relies on. A difference from the simulator alone is not a failure.",
    ],
    options: {
      live: { type: "boolean", about: "call the provider; costs a few cents at most" },
      database: { type: "string", value: "URL", about: "check the database of a service: postgres://USER@HOST/NAME" },
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      "max-usd": {
        type: "string",
        value: "AMOUNT",
        about: "with --live: skip a call that might cost more; default: 0.1",
      },
      server: {
        type: "string",
        value: "NAME",
        about: "with --live and --base-url: the kind of server to compare with; default: vLLM",
      },
      json: JSON_OUTPUT as Flag,
    },
    examples: [
      ["palimpsest doctor", "check home, sessions, settings, sandbox and key"],
      ["palimpsest doctor --live", "check the provider with your key and the standard model"],
      [
        "palimpsest doctor --live --provider openai-chat --base-url http://127.0.0.1:8080/v1 --model NAME --server llama.cpp",
        "check a local server",
      ],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
  permissions: {
    usage: "permissions [list | why COMMAND | remove RULE]",
    about: "list the permission rules and the sandbox policy, explain what a command needs, remove a rule",
    more: [
      "list: the mode, every rule with where it comes from, and what the sandbox lets commands do.",
      "why COMMAND: whether the command would run, be asked about or be refused, and why. A file: why 'Edit(src/a.ts)'.",
      "remove RULE: takes a rule out of your own settings, for this project or everywhere.",
    ],
    options: {},
    operands: { most: 1_000, completes: ["list", "why", "remove"] },
    examples: [
      ["palimpsest permissions", "list the rules"],
      ["palimpsest permissions why 'npm test'", "see whether you would be asked"],
      ["palimpsest permissions remove 'Bash(npm test *)'", "be asked again"],
    ],
    endings: ["failed"],
  },
  trust: {
    usage: "trust [--yes]",
    about: "show what this project's settings ask for; with --yes, apply them",
    more: [
      "Until you trust a project, its settings can only forbid things. You trust the files as they are now: after a change they need your trust again.",
      "Instructions (AGENTS.md) and skills that a command of the agent has changed are shown, too: they count again once you trust them.",
    ],
    options: { yes: { type: "boolean", about: "trust the settings as they are now, and apply them" } },
    examples: [["palimpsest trust", "list the rules, hooks and folders in .palimpsest/settings.json"]],
    endings: ["failed"],
  },
  demo: {
    usage: "demo",
    about: "play a long session in a minute, against a built-in simulator: no key, no cost",
    options: {},
    examples: [["palimpsest demo", "see stored and cleared results, notes, a compaction, recall and undo"]],
    endings: ["failed"],
  },
  completion: {
    usage: "completion bash|zsh|fish",
    about: "print the script that makes a shell complete commands, options and sessions",
    options: {},
    operands: { most: 1, completes: ["bash", "zsh", "fish"] },
    examples: [
      ['eval "$(palimpsest completion bash)"', "add this line to ~/.bashrc"],
      ['eval "$(palimpsest completion zsh)"', "add this line to ~/.zshrc, after compinit"],
      ["palimpsest completion fish > ~/.config/fish/completions/palimpsest.fish", "run this once"],
    ],
    endings: [],
  },
  help: {
    usage: "help [COMMAND]",
    about: "show this page, or the help page of a command",
    options: {},
    operands: { most: 1, completes: "commands" },
    examples: [["palimpsest help doctor", "the same as palimpsest doctor --help"]],
    endings: [],
  },
} as const;

/** What the program can do; `cli/commands.ts` knows where. */
export const COMMANDS = [
  {
    name: "run",
    usage: '-p "PROMPT"',
    about: "one turn of the agent: the model works with its tools until it is done",
  },
  {
    name: "sessions",
    usage: "sessions [--json]",
    about: "the sessions of this folder, the newest first",
  },
  {
    name: "show",
    usage: "show [ID] [--entry N]",
    about: "a session as it was said, whatever was folded or cleared since; or one entry in whole",
  },
  {
    name: "export",
    usage: "export [ID]",
    about: "a session's whole log as lines of JSON",
  },
  {
    name: "context",
    usage: "context [ID] [--json]",
    about: "what fills the window",
  },
  {
    name: "cost",
    usage: "cost [ID] [--json]",
    about: "what was spent, on what, and what was lost to which cause",
  },
  {
    name: "replay",
    usage: "replay FILE [--policy NAME]... [--model ID] [--ttl 5m|1h] [--json]",
    about: "what a recorded session would have cost under other policies; nothing is sent anywhere",
  },
  {
    name: "compact",
    usage: "compact [TEXT] [--session ID]",
    about: "folds the conversation into a summary that heeds TEXT",
  },
  {
    name: "undo",
    usage: "undo [ID]",
    about: "takes the newest compaction back",
  },
  {
    name: "doctor",
    usage: "doctor [--json]",
    about: "what the agent needs, and what is missing; nothing is sent anywhere",
  },
  {
    name: "trust",
    usage: "trust [--yes]",
    about: "shows what this project's settings want, and lets them hold",
  },
  {
    name: "demo",
    usage: "demo",
    about: "a long session in a minute, against a built-in simulator: no key, no cost",
  },
  {
    name: "help",
    usage: "help",
    about: "this page",
  },
] as const;

export type CommandName = (typeof COMMANDS)[number]["name"];

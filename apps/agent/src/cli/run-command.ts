import type { PermissionMode } from "../permissions/decide-permission.ts";
import { MODES } from "../permissions/settings-schema.ts";
import { BASE_URL, MODEL, PROVIDER, type Value } from "./command-options.ts";

/** The command without a name: the agent itself. */
export const RUN_COMMAND = {
  run: {
    usage: '[-p "PROMPT"]',
    about: "start the agent in the terminal, or run one turn without a screen (-p)",
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
} as const;

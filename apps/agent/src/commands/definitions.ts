import {
  ALLOW,
  BASE_URL,
  DENY,
  EFFORT,
  type Efforts,
  type Flag,
  MODE,
  MODEL,
  type Mode,
  PROVIDER,
  SET,
  type Value,
  type Values,
  WEB,
} from "./definition.ts";

/** The command without a name, which runs the agent. */
export const RUN_COMMAND = {
  run: {
    usage: '[-p "PROMPT"]',
    about: "start the agent in the terminal, or run one turn without a screen (-p)",
    more: [
      "Without -p, palimpsest opens a conversation in the terminal. Type /help there to list commands and keys.",
      "With -p, palimpsest cannot ask you for permission. It denies tool calls that need permission, and prints the rule that would allow each of them.",
      "The answer goes to standard output, progress to standard error. With --output-format json the output is one object at the end, with stream-json it is one event per line.",
    ],
    options: {
      prompt: {
        type: "string",
        short: "p",
        value: "TEXT",
        about: 'run one turn with this prompt; "-" reads it from standard input',
      },
      continue: { type: "boolean", short: "c", about: "resume the newest session of this folder" },
      resume: {
        type: "string",
        short: "r",
        value: "ID",
        completes: "sessions",
        about: "resume this session; the first characters of its id are enough; without ID, choose one from a list",
      },
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      effort: EFFORT as Efforts,
      mode: MODE as Mode,
      allow: ALLOW as Values,
      deny: DENY as Values,
      set: SET as Values,
      name: {
        type: "string",
        value: "NAME",
        about:
          "name the session, so that other sessions of this project can send messages to it; the session keeps the name",
      },
      stay: {
        type: "boolean",
        about: "keep running: wait for messages of other sessions and run a turn for each, until interrupted",
      },
      web: WEB as Flag,
      "screen-reader": { type: "boolean", about: "print plain lines, without frames and animations" },
      "max-rounds": { type: "string", value: "N", about: "stop after N model responses" },
      "max-usd": {
        type: "string",
        value: "AMOUNT",
        about: "stop after spending this many US dollars, by our price list; the response in progress is still paid",
      },
      "output-format": {
        type: "string",
        value: "WORD",
        of: ["text", "json", "stream-json"],
        about: "print text, one JSON object, or one event per line; default: text",
      },
      "input-format": {
        type: "string",
        value: "WORD",
        of: ["text", "stream-json"],
        about: 'read text, or one turn per line of {"kind":"user","text":"..."}; default: text',
      },
    },
    operands: { most: 1 },
    examples: [
      ["palimpsest", "start a conversation in the terminal"],
      [`palimpsest -p "Fix the failing test" --mode accept-edits --allow 'Bash(npm test *)'`, "run one turn"],
      ['git diff | palimpsest -p "Review this:" -', "add standard input to the prompt"],
      ['palimpsest --continue -p "Now the docs"', "resume the newest session of this folder"],
      ['palimpsest -p "You test what others write" --name tester --stay', "run a teammate in another terminal"],
    ],
    endings: ["failed", "refused", "roundsUsedUp", "budgetUsedUp", "interrupted", "terminated"],
  },
} as const;

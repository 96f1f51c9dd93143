import { nearest } from "../text/nearest.ts";
import { UsageError } from "../workspace/usage-error.ts";
import {
  ALLOW,
  BASE_URL,
  type CommandDefinition,
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
import { PROGRAM_COMMANDS } from "./program-definitions.ts";
import { DATABASE_COMMANDS, SERVER_COMMANDS } from "./server-definitions.ts";
import { SESSION_COMMANDS } from "./session-definitions.ts";

/** The command without a name, which runs the agent. */
const RUN_COMMAND = {
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

/** The command that runs the agent in editors. */
const ACP_COMMAND = {
  acp: {
    usage: "acp [options]",
    about: "run the agent in an editor that speaks the Agent Client Protocol, such as Zed or a JetBrains IDE",
    more: [
      "An editor starts this command and talks to it over standard input and output, in lines of JSON. Messages about problems go to standard error. The command ends when the editor closes the connection, and stops what the agent is running.",
      "The editor names the folder of each session, so any number of projects can be open at a time. Sessions are those of the terminal: palimpsest --continue resumes a session of an editor, and the editor can open a session of the terminal.",
      "The API key is the one that you have stored (palimpsest key set), or comes from the environment that the editor names. docs/guides/in-your-editor.md has settings for Zed, JetBrains IDEs and Neovim.",
    ],
    options: {
      model: MODEL as Value,
      provider: PROVIDER as Value,
      "base-url": BASE_URL as Value,
      effort: EFFORT as Efforts,
      mode: MODE as Mode,
      allow: ALLOW as Values,
      deny: DENY as Values,
      set: SET as Values,
      web: WEB as Flag,
    },
    examples: [
      ["palimpsest acp", "the command that an editor starts"],
      ["palimpsest acp --mode plan", "begin every session with a plan"],
    ],
    endings: ["failed", "interrupted", "terminated"],
  },
} as const;

/** All commands, in the order of the help page. `commands/load-command.ts` loads their code. */
export const COMMANDS: typeof RUN_COMMAND &
  typeof ACP_COMMAND &
  typeof SESSION_COMMANDS &
  typeof DATABASE_COMMANDS &
  typeof SERVER_COMMANDS &
  typeof PROGRAM_COMMANDS = {
  ...RUN_COMMAND,
  ...ACP_COMMAND,
  ...SESSION_COMMANDS,
  ...DATABASE_COMMANDS,
  ...SERVER_COMMANDS,
  ...PROGRAM_COMMANDS,
};

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[];
/** The commands with a name of one word. */
export const TOP_COMMANDS: readonly CommandName[] = COMMAND_NAMES.filter((name) => !name.includes(" "));

/** The commands in a group, such as `sessions show` in `sessions`. */
export function commandsOf(group: CommandName): readonly CommandName[] {
  return COMMAND_NAMES.filter((name) => name.startsWith(`${group} `));
}

/** The definition of a command, as the type that all definitions share. */
export function definitionOf(name: CommandName): CommandDefinition {
  return COMMANDS[name];
}

/**
 * Finds the command that the first words name: one word, or two for a command in a group, such as `sessions show`. The
 * error for an unknown name suggests the closest command.
 */
export function toCommand([first = "", second = "", ...others]: readonly string[]): {
  readonly name: CommandName;
  readonly rest: readonly string[];
} {
  const ofGroup = COMMAND_NAMES.find((known) => known === `${first} ${second}`);
  if (ofGroup !== undefined) return { name: ofGroup, rest: others };
  const name = TOP_COMMANDS.find((known) => known === first);
  // A group with its own operands reads its next word itself.
  const isOpen = second === "" || second.startsWith("-") || name === undefined;
  if (name !== undefined && (isOpen || commandsOf(name).length === 0 || definitionOf(name).operands !== undefined))
    return { name, rest: second === "" && others.length === 0 ? [] : [second, ...others] };
  const word = name === undefined ? first : second;
  const meant = nearestCommand(word, name === undefined ? COMMAND_NAMES : commandsOf(name));
  const all = name === undefined ? "palimpsest --help" : `palimpsest ${name} --help`;
  const prompt = `To send a prompt: palimpsest -p ${JSON.stringify(word)}.`;
  const hint = meant !== undefined ? `Did you mean ${meant}? ` : name === undefined ? `${prompt} ` : "";
  const unknown = name === undefined ? first : `${name} ${second}`;
  throw new UsageError(`Unknown command ${JSON.stringify(unknown)}. ${hint}To list all commands: ${all}.`);
}

/** Finds the closest command by its last word, so that `show` leads to `sessions show`. */
function nearestCommand(word: string, names: readonly CommandName[]): CommandName | undefined {
  const lastWord = (name: CommandName): string => name.slice(name.lastIndexOf(" ") + 1);
  const meant = nearest(word, names.map(lastWord));
  return names.find((name) => lastWord(name) === meant);
}

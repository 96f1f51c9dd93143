import type { OptionDefinition } from "./command-definition.ts";
import { COMMAND_NAMES, type CommandName, definitionOf } from "./command-list.ts";
import { ENDINGS, type Ending, EXIT } from "./exit-codes.ts";

const WIDTH = 110;
const COLUMN = 32;

/** What the program reads from the environment. */
export const VARIABLES: readonly (readonly [name: string, about: string])[] = [
  ["ANTHROPIC_API_KEY", "the key for --provider anthropic"],
  ["OPENAI_API_KEY", "the key for --provider openai and openai-chat"],
  ["ANTHROPIC_BASE_URL, OPENAI_BASE_URL", "where the clients send to, if --base-url is not given"],
  ["PALIMPSEST_HOME", "where sessions and settings are kept, for this user only; ~/.palimpsest by default"],
  ["PALIMPSEST_...", "any setting of the engine: PALIMPSEST_CLEARING_KEEP_NEWEST is clearing.keepNewest"],
  ["NO_COLOR", "if it is not empty, nothing is colored; nor is what goes to a file or a pipe"],
];

/** The page of the program. */
export function mainPage(): string {
  const commands = COMMAND_NAMES.map((name) => [definitionOf(name).usage, definitionOf(name).about] as const);
  const { examples, options } = definitionOf("run");
  return page([
    ["", ["palimpsest: a coding agent that keeps itself inside its context window"]],
    ["Commands", columns([...commands, ["--version", "the version"]])],
    ["A turn", columns(examples)],
    ["Options of a turn", optionLines(options)],
    ["Environment", columns(VARIABLES)],
    ["Files", columns(FILES)],
    ["Exit codes", endingLines(Object.keys(EXIT) as Ending[])],
    ["", ["palimpsest COMMAND --help says more about a command. A session can be gone on with however a turn ended."]],
  ]);
}

const FILES: readonly (readonly [string, string])[] = [
  [
    "PALIMPSEST_HOME/settings.json",
    "permissions, hooks, sandbox, servers; a project's own is .palimpsest/settings.json",
  ],
  ["PALIMPSEST_HOME/engine.json", "settings of the engine, by name"],
  ["AGENTS.md", "what a project says to agents that work in it"],
];

/** The page of one command. */
export function commandPage(name: CommandName): string {
  const { usage, about, more = [], options, examples, endings } = definitionOf(name);
  return page([
    ["", [`palimpsest ${usage}`]],
    ["", wrap(about, WIDTH)],
    ...more.map((paragraph) => ["", wrap(paragraph, WIDTH)] as const),
    ["Options", optionLines(options)],
    ["Examples", columns(examples)],
    ["Exit codes", endingLines(["done", ...endings, "usage"])],
  ]);
}

function page(sections: readonly (readonly [title: string, lines: readonly string[]])[]): string {
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => (title === "" ? lines : [title, ...lines.map((line) => `  ${line}`)]).join("\n"))
    .join("\n\n");
}

function optionLines(options: Readonly<Record<string, OptionDefinition>>): readonly string[] {
  return columns(
    Object.entries(options).map(([name, { short, value, of, about }]) => {
      const names = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
      return [names, of === undefined ? about : `${of.join(" | ")}; ${about}`];
    }),
  );
}

function endingLines(endings: readonly Ending[]): readonly string[] {
  const byCode = endings.toSorted((one, other) => EXIT[one] - EXIT[other]);
  return byCode.map((ending) => `${String(EXIT[ending]).padEnd(5)}${ENDINGS[ending]}`);
}

/** Two columns; what is too long for the first has a line for itself. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrap(right, WIDTH - COLUMN);
    const indented = rest.map((line) => " ".repeat(COLUMN) + line);
    if (left.length > COLUMN - 2) return [left, " ".repeat(COLUMN) + first, ...indented];
    return [left.padEnd(COLUMN) + first, ...indented];
  });
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

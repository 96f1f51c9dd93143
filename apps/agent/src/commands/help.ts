import { inColumns, wrapCommand, wrapWords } from "../text/table.ts";
import type { OptionDefinition } from "./definition.ts";
import { COMMANDS, type CommandName, commandsOf, definitionOf, TOP_COMMANDS, toCommand } from "./definitions.ts";
import { ENDINGS, type Ending, EXIT } from "./exit-codes.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the help page of the program or of a command. */
export async function run(args: readonly string[], { print, columns }: Terminal): Promise<number> {
  const about = readArguments(args, COMMANDS.help).positionals;
  await print(about.length === 0 ? mainPage(columns) : commandPage(toCommand(about).name, columns));
  return EXIT.done;
}

const WIDEST = 112;
const INDENT = 2;

/** The environment variables that the program reads. */
export const VARIABLES: readonly (readonly [name: string, about: string])[] = [
  ["ANTHROPIC_API_KEY", "the key for --provider anthropic"],
  ["OPENAI_API_KEY", "the key for --provider openai and openai-chat"],
  [
    "AWS_BEARER_TOKEN_BEDROCK, AWS_REGION",
    "the key and the region for --provider bedrock; without a key, what the AWS tools use",
  ],
  ["ANTHROPIC_BASE_URL, OPENAI_BASE_URL", "the server's address, if --base-url is not given"],
  ["BRAVE_API_KEY, TAVILY_API_KEY", "a key for web search; SEARXNG_URL is the address of your SearXNG server"],
  ["PALIMPSEST_HOME", "the folder for sessions and settings, private to this user; default: ~/.palimpsest"],
  ["PALIMPSEST_...", "an engine setting: PALIMPSEST_COMPACT_AT sets compactAt"],
  ["NO_COLOR", "if not empty, print without colors; files and pipes never get colors"],
];

const FILES: readonly (readonly [name: string, about: string])[] = [
  [
    "PALIMPSEST_HOME/settings.json",
    "your permissions, hooks, sandbox and MCP servers; a project has its own in .palimpsest/settings.json",
  ],
  ["PALIMPSEST_HOME/engine.json", "your engine settings, by name"],
  ["AGENTS.md", "a project's instructions for agents"],
];

/** Formats the help page of the program. @param columns the width of the terminal */
export function mainPage(columns: number): string {
  const width = widthOf(columns);
  const { examples, options } = definitionOf("run");
  return page([
    ["", ["palimpsest: a coding agent that keeps itself inside its context window"]],
    ["Commands", inColumns([...usagesOf(TOP_COMMANDS), ["--version", "show the version"]], width)],
    ["Examples", inColumns(examples, width)],
    ["Options", optionLines(options, width)],
    ["Environment", inColumns(VARIABLES, width)],
    ["Files", inColumns(FILES, width)],
    ["Exit codes", endingLines(Object.keys(EXIT) as Ending[], width)],
    ["", wrapWords("Run palimpsest COMMAND --help for the details of a command.", width)],
    [
      "",
      wrapWords(
        "Run palimpsest --continue to resume the newest session, also after an error or an interruption.",
        width,
      ),
    ],
  ]);
}

function usagesOf(names: readonly CommandName[]): readonly (readonly [usage: string, about: string])[] {
  return names.map((name) => [definitionOf(name).usage, definitionOf(name).about]);
}

/** Formats the help page of one command. @param columns the width of the terminal */
export function commandPage(name: CommandName, columns: number): string {
  const width = widthOf(columns);
  const { usage, about, more = [], options, examples, endings } = definitionOf(name);
  return page([
    ["", wrapCommand(`palimpsest ${usage}`, width)],
    ["", wrapWords(about, width)],
    ...more.map((paragraph) => ["", wrapWords(paragraph, width)] as const),
    ["Commands", inColumns(usagesOf(commandsOf(name)), width)],
    ["Options", optionLines(options, width)],
    ["Examples", inColumns(examples, width)],
    ["Exit codes", endingLines(["done", ...endings, "usage"], width)],
  ]);
}

/** The width of a line without its indent. */
function widthOf(columns: number): number {
  return Math.min(columns, WIDEST) - INDENT;
}

function page(sections: readonly (readonly [title: string, lines: readonly string[]])[]): string {
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => (title === "" ? lines : [title, ...lines.map((line) => `  ${line}`)]).join("\n"))
    .join("\n\n");
}

function optionLines(options: Readonly<Record<string, OptionDefinition>>, width: number): readonly string[] {
  return inColumns(
    Object.entries(options).map(([name, { short, value, of, about }]) => {
      const names = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
      return [names, of === undefined ? about : `${about} (${of.join(", ")})`];
    }),
    width,
  );
}

function endingLines(endings: readonly Ending[], width: number): readonly string[] {
  const byCode = endings.toSorted((one, other) => EXIT[one] - EXIT[other]);
  return inColumns(
    byCode.map((ending) => [String(EXIT[ending]), ENDINGS[ending]]),
    width,
    5,
  );
}

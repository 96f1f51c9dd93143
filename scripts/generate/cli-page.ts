import type { CommandDefinition } from "../../apps/agent/src/commands/definition.ts";
import { COMMAND_NAMES, definitionOf } from "../../apps/agent/src/commands/definitions.ts";
import { ENDINGS, type Ending, EXIT } from "../../apps/agent/src/commands/exit-codes.ts";
import { VARIABLES } from "../../apps/agent/src/commands/help.ts";

/** Text for a cell of a table. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

function optionsTable({ options }: CommandDefinition): string {
  const rows = Object.entries(options).map(([name, { short, value, of, about }]) => {
    const names = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
    const words = of === undefined ? "" : ` One of ${of.map(code).join(", ")}.`;
    return [code(names), `${cell(about)}.${words}`.replace("..", ".")];
  });
  return rows.length === 0 ? "" : `\n${table(["option", "does"], rows)}\n`;
}

/** docs/cli.md, from the definitions of commands. */
export function cliPage(): Readonly<Record<string, string>> {
  const commands = COMMAND_NAMES.map((name) => {
    const definition: CommandDefinition = definitionOf(name);
    const { usage, about, more = [], examples, endings } = definition;
    const codes = (["done", ...endings, "usage"] as const).map((ending) => EXIT[ending]);
    const title = name === "run" ? "palimpsest" : `palimpsest ${name}`;
    const shown = examples.map(([line, why]) => `    ${line}\n        ${why}`).join("\n");
    return `## ${title}

    palimpsest ${usage}

${[`${about[0]!.toUpperCase()}${about.slice(1)}.`, ...more].map(cell).join("\n\n")}
${optionsTable(definition)}
${shown}

Exit codes: ${codes.join(", ")}.
`;
  });

  return {
    "docs/cli.md": `# Command line

Written by \`npm run generate\` from apps/agent/src/commands/definitions.ts; do not edit it here. \`palimpsest --help\` and \`palimpsest COMMAND --help\` print the same.

${table(
  ["command", "does"],
  COMMAND_NAMES.map((name) => [code(`palimpsest ${definitionOf(name).usage}`), cell(definitionOf(name).about)]),
)}

${commands.join("\n")}
## Environment

${table(
  ["variable", "is"],
  VARIABLES.map(([name, about]) => [code(name), cell(about)]),
)}

## Exit codes

${table(
  ["code", "means"],
  (Object.keys(EXIT) as Ending[]).map((ending) => [String(EXIT[ending]), cell(ENDINGS[ending])]),
)}
`,
  };
}

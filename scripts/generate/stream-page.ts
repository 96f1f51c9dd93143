import type { JsonSchema } from "../../apps/agent/src/commands/stream/typed-schema.ts";

/** docs/stream-json.md: the events of `--output-format stream-json`, from their schema. */
export function streamPage(schema: JsonSchema): string {
  const events = schema.anyOf ?? [];
  const ofSession = events.flatMap(({ properties }) => properties?.["event"]?.anyOf ?? []);
  return `# Events of stream-json

\`palimpsest -p "..." --output-format stream-json\` prints one JSON object a line, as it happens. \`kind\` says what it is. The
[JSON schema](../apps/agent/stream.schema.json) is also in the package: \`palimpsest-agent/stream.schema.json\`. This page and the schema are
written by \`npm run generate\`; do not edit them.

The first line is \`stream-started\` with the \`version\` of the events. Within a version, events and fields are only added, so ignore those
that you do not know. The last line is \`result\`. How to use it in scripts: [run it in CI](guides/run-it-in-ci.md).

## Lines

${events.map(section).join("\n")}
## Events of a session

They are the \`event\` of \`session-event\`. All of them have \`session\` (its id) and \`atMs\` (Unix time).

${ofSession.map(section).join("\n")}`;
}

function section({ description, properties = {}, required = [] }: JsonSchema): string {
  const { kind, session: _, atMs, ...others } = properties;
  const fields = atMs === undefined ? Object.fromEntries(Object.entries(properties).slice(1)) : others;
  const rows = Object.entries(fields).map(
    ([name, field]) =>
      `| \`${name}\`${required.includes(name) ? "" : "?"} | ${typeOf(field)} | ${field.description ?? ""} |`,
  );
  const table = rows.length === 0 ? "" : `\n| field | type | meaning |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
  return `### ${kind?.const}\n\n${description}\n${table}`;
}

const LONGEST_UNION = 8;

function typeOf({ const: only, enum: words, type, items, properties, anyOf }: JsonSchema): string {
  if (only !== undefined) return `\`${only}\``;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(", ");
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (properties !== undefined) return `object: ${Object.keys(properties).join(", ")}`;
  if (anyOf === undefined) return type ?? "anything";
  // A long union is listed in a section of its own.
  if (anyOf.length > LONGEST_UNION) return "one of the [events of a session](#events-of-a-session)";
  return anyOf.map(typeOf).join(", or ");
}

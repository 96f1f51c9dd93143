import type { Store, ToolDefinition } from "palimpsest";
import { readPayload } from "palimpsest/inspect";

/** What stood beside the messages in the last request of a stored session. */
export interface StoredConfiguration {
  /** `new`: nothing is stored yet, though the session may have an id. */
  readonly begins: "new" | "resumed";
  readonly tools: readonly ToolDefinition[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

const NOTHING: StoredConfiguration = { begins: "new", tools: [], parameters: {} };

/** Reads tools and parameters of a stored session; none for a new session. */
export async function storedConfiguration(store: Store, id: string | undefined): Promise<StoredConfiguration> {
  const reader = id === undefined ? undefined : await store.openReader(id);
  try {
    const newest = await reader?.newest("configuration");
    const configured = newest && readPayload(newest);
    if (reader === undefined || configured?.kind !== "configuration") return NOTHING;
    const { tools, parameters } = configured.payload;
    if ("value" in tools) return { begins: "resumed", tools: tools.value, parameters };
    const [holding] = await reader.read(tools.heldBy, tools.heldBy);
    const held = holding && readPayload(holding);
    const isHeld = held?.kind === "configuration" && "value" in held.payload.tools;
    const offered = isHeld && "value" in held.payload.tools ? held.payload.tools.value : [];
    return { begins: "resumed", tools: offered, parameters };
  } finally {
    await reader?.close();
  }
}

/** The message to the user if the tools of a resumed session have changed; undefined otherwise. */
export function toolChanges(offered: readonly ToolDefinition[], now: readonly ToolDefinition[]): string | undefined {
  if (offered.length === 0) return undefined;
  const [before, after] = [byName(offered), byName(now)];
  const changes = [
    ["new", [...after.keys()].filter((name) => !before.has(name))],
    ["gone", [...before.keys()].filter((name) => !after.has(name))],
    ["changed", [...after].flatMap(([name, text]) => (before.has(name) && before.get(name) !== text ? [name] : []))],
  ] as const;
  const said = changes.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${names.join(", ")}`]));
  if (said.length === 0) return undefined;
  return `The tools have changed since this session's last request (${said.join("; ")}), so its prompt cache starts empty.`;
}

function byName(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  return new Map(
    tools.map(({ name, description = "", inputSchema }) => [name, JSON.stringify([description, inputSchema], inOrder)]),
  );
}

/** Sorts the fields of objects, so that their order does not matter in a comparison. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

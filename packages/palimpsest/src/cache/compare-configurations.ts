import type { CacheEffects, ChangeCause, PromptChange } from "../log/cause.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { headTools } from "../view/offer-tools.ts";
import type { Configuration } from "../view/view.ts";

/** The parameter that holds the service's own tools: in the prompt they stand among the other tools. */
const OWN_TOOLS = "tools";

/** Compares the configurations of two requests by value, so a change that was undone is no change. */
export function compareConfigurations(
  before: Configuration,
  now: Configuration,
  effects: CacheEffects,
): readonly PromptChange[] {
  if (before.entry === now.entry) return [];
  const change = (cause: ChangeCause, what?: readonly string[]): PromptChange => ({
    cause,
    at: now.entry,
    ...(what === undefined ? {} : { what }),
  });
  const tools =
    before.toolsHeldBy === now.toolsHeldBy ? [] : compareTools(headTools(before.tools), headTools(now.tools));
  const fields = compareParameters(before.parameters, now.parameters, effects);
  const toolsChanged = [...tools, ...(fields.get("tools") ?? [])];
  fields.delete("tools");
  return [
    ...(before.provider === now.provider ? [] : [change("provider")]),
    ...(before.model === now.model ? [] : [change("model")]),
    ...(toolsChanged.length === 0 ? [] : [change("tools", toolsChanged)]),
    ...(before.system === now.system ? [] : [change("system")]),
    ...[...fields].map(([cause, names]) => change(cause, names)),
  ];
}

/** Describes the difference in words, tool by tool. */
function compareTools(before: readonly ToolDefinition[], now: readonly ToolDefinition[]): string[] {
  const known = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]));
  const names = new Set(now.map(({ name }) => name));
  const added = now.filter(({ name }) => !known.has(name)).map(({ name }) => `added ${name}`);
  const removed = [...known.keys()].filter((name) => !names.has(name)).map((name) => `removed ${name}`);
  const changed = now
    .filter((tool) => known.has(tool.name) && known.get(tool.name) !== JSON.stringify(tool))
    .map(({ name }) => `changed ${name}`);
  const keptBefore = before.filter(({ name }) => names.has(name)).map(({ name }) => name);
  const keptNow = now.filter(({ name }) => known.has(name)).map(({ name }) => name);
  const order = keptBefore.join("\n") === keptNow.join("\n") ? [] : ["reordered"];
  return [...added, ...removed, ...changed, ...order];
}

function compareParameters(
  before: Configuration["parameters"],
  now: Configuration["parameters"],
  { parameters }: CacheEffects,
): Map<ChangeCause, string[]> {
  const fields = new Map<ChangeCause, string[]>();
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const known = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const cause = name === OWN_TOOLS ? "tools" : (known ?? "parameters");
    if (cause === "nothing" || JSON.stringify(before[name]) === JSON.stringify(now[name])) continue;
    fields.set(cause, [...(fields.get(cause) ?? []), name]);
  }
  return fields;
}

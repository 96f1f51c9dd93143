import { InvalidOptionError } from "../log/invalid-option-error.ts";
import type { ConfigurationPayload, Held } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import { CALL_TOOL, TOOL_SEARCH, type ToolDefinition } from "../log/tool-definition.ts";
import { wellFormed } from "../view/clean-block.ts";
import type { Configuration } from "../view/view.ts";
import type { WantedConfiguration } from "./wanted-configuration.ts";

/** The same as it is written down. */
export interface NewConfiguration {
  readonly provider: string;
  readonly model: string;
  readonly system?: string | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly parameters?: WantedConfiguration["parameters"] | undefined;
  /** Present if another agent had it. @default it is this session's own */
  readonly provenance?: Provenance | undefined;
}

/** The entry that makes a configuration what is wanted; undefined if it is that already. */
export function changeConfiguration(
  before: Configuration | undefined,
  wanted: NewConfiguration,
): ConfigurationPayload | undefined {
  const { provider, model } = wanted;
  const provenance = wanted.provenance === undefined ? {} : { provenance: wanted.provenance };
  const system = (wanted.system ?? before?.system ?? "").toWellFormed();
  const tools = inKnownOrder(checkTools(wanted.tools ?? before?.tools ?? []), before?.tools ?? []);
  // Parameters are the provider's own words: another provider does not know them.
  const parameters = wanted.parameters ?? (before?.provider === provider ? before.parameters : {});
  if (before === undefined) {
    const [newSystem, newTools] = [{ value: system }, { value: tools }];
    return { provider, model, system: newSystem, tools: newTools, parameters, cause: "opened", ...provenance };
  }
  const changed = [
    ...(provider === before.provider ? [] : ["provider"]),
    ...(model === before.model ? [] : ["model"]),
    ...(system === before.system ? [] : ["system"]),
    ...(isSame(tools, before.tools) ? [] : ["tools"]),
    ...(isSame(parameters, before.parameters) ? [] : ["parameters"]),
  ];
  if (changed.length === 0) return undefined;
  return {
    provider,
    model,
    system: held(changed.includes("system"), system, before.systemHeldBy),
    tools: held(changed.includes("tools"), tools, before.toolsHeldBy),
    parameters,
    cause: `${changed.join(", ")} changed`,
    ...provenance,
  };
}

/** Tools stand at the very front of the prompt: an order that changes from one start to the next would cost all of it. */
function inKnownOrder(tools: readonly ToolDefinition[], known: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const place = new Map(known.map(({ name }, index) => [name, index]));
  const placeOf = ({ name }: ToolDefinition): number => place.get(name) ?? known.length;
  return tools.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function held<Value>(changed: boolean, value: Value, heldBy: number): Held<Value> {
  return changed ? { value } : { heldBy };
}

/** As it will stand in the log: fields that are left out are undefined, and their order says nothing. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a, inOrder) === JSON.stringify(b, inOrder);
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Providers refuse other names, two tools of one name, and half characters anywhere. */
function checkTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const names = tools.map(({ name }) => name);
  const wrong = names.find((name, index) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) {
    throw new InvalidOptionError("tools", wrong, "names of letters, digits, _ and -, up to 128, each used once");
  }
  const isDeferring = tools.some(({ loading }) => loading === "deferred");
  const taken = isDeferring ? names.find((name) => name === TOOL_SEARCH || name === CALL_TOOL) : undefined;
  if (taken !== undefined) {
    throw new InvalidOptionError("tools", taken, `no tool of that name beside deferred tools, which are found with it`);
  }
  return wellFormed(tools) as readonly ToolDefinition[];
}

import { InvalidOptionError } from "../errors.ts";
import { CALL_TOOL, type Part, TOOL_SEARCH, type ToolDefinition } from "../log/block.ts";
import { toDraft } from "../log/draft.ts";
import type { ConfigurationPayload, Held } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import { findTools, type ToolsWanted } from "../schema/find-tools.ts";
import { asObject, asString, asStrings } from "../schema/json-fields.ts";
import type { SessionCore } from "../state/core.ts";
import { windowOfModel } from "../state/limits.ts";
import type { WantedConfiguration } from "../state/options.ts";
import { definitionTokens } from "../view/account.ts";
import { wellFormed } from "../view/clean.ts";
import { describeTool } from "../view/tool-search.ts";
import type { Configuration } from "../view/view.ts";

/** Tools that may be deferred are, if they would take more of the window than this. */
const DEFERRED_SHARE = 0.1;

/** Changes what is sent beside the messages, by an entry in the log if it is not as wanted. */
export async function configure(
  { state, ports, options, settings }: SessionCore,
  { system, tools, parameters, ...wanted }: WantedConfiguration,
): Promise<void> {
  const model = wanted.model ?? state.view.configuration?.model ?? options.model;
  if (model === undefined) throw new InvalidOptionError("openSession({ model })", model, "the name of a model");
  await ports.facts.learn(model);
  const window = windowOfModel(model, ports.facts.of(model), { settings: settings.current });
  const deferral = {
    aboveTokens: Math.min(settings.current["tools.deferAboveTokens"], window.tokens * DEFERRED_SHARE),
    countTokens: (tool: ToolDefinition) => definitionTokens(state.view, tool),
    before: state.view.configuration?.tools ?? [],
  };
  const payload = changeConfiguration(state.view.configuration, {
    provider: ports.provider.name,
    model,
    system,
    tools: tools && planDeferral(ports.tools.define(tools), deferral),
    parameters,
  });
  if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
}

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

interface Deferral {
  /** Tools that may be deferred are, if all of them together have more tokens than this. */
  readonly aboveTokens: number;
  readonly countTokens: (tool: ToolDefinition) => number;
  /** The tools so far. */
  readonly before: readonly ToolDefinition[];
}

/**
 * Decides which tools are deferred. The decision stands in the log with them. A session that defers goes on deferring: one tool
 * more or less must not change the beginning of its prompt again and again.
 */
export function planDeferral(
  tools: readonly ToolDefinition[],
  { aboveTokens, countTokens, before }: Deferral,
): readonly ToolDefinition[] {
  const large = tools.filter(({ loading }) => loading === "when-large");
  if (large.length === 0) return tools;
  const isDeferring = before.some(
    ({ name, loading }) => loading === "deferred" && large.some((one) => one.name === name),
  );
  const tokens = large.reduce((sum, tool) => sum + countTokens(tool), 0);
  const isLarge = isDeferring || tokens > aboveTokens;
  return tools.map((tool) => {
    if (tool.loading !== "when-large") return tool;
    const { loading: _, ...rest } = tool;
    return isLarge ? { ...rest, loading: "deferred" } : rest;
  });
}

/** The deferred tools of a session. */
export interface DeferredTools {
  readonly offered: readonly ToolDefinition[];
  /** Those that the conversation has brought in, by their names, as they were then. */
  readonly loaded: ReadonlyMap<string, ToolDefinition>;
}

/** The content of a result of `tool_search`: what is found and not loaded yet, or words. */
export function searchTools({ offered, loaded }: DeferredTools, input: unknown): readonly Part[] {
  const found = findTools(offered, readWanted(input));
  if (found.length === 0) return said(`No tool matches. There are: ${offered.map(({ name }) => name).join(", ")}.`);
  const isNew = (tool: ToolDefinition): boolean => JSON.stringify(loaded.get(tool.name)) !== JSON.stringify(tool);
  const fresh = found.filter(isNew);
  if (fresh.length === 0) return said(`Loaded already: ${found.map(({ name }) => name).join(", ")}.`);
  return fresh.map((tool) => ({ kind: "text", text: describeTool(tool), tool }));
}

function readWanted(input: unknown): ToolsWanted {
  const fields = asObject(input);
  return { names: asStrings(fields?.["names"]), query: asString(fields?.["query"]) ?? "" };
}

function said(text: string): readonly Part[] {
  return [{ kind: "text", text }];
}

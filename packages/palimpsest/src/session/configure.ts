// Changes the model, the system prompt, the tools and the parameters of a session, and decides which tools are
// deferred.

import { InvalidOptionError } from "../errors.ts";
import { CALL_TOOL, type Part, TOOL_SEARCH, type ToolDefinition } from "../log/block.ts";
import { toDraft } from "../log/entry.ts";
import type { ConfigurationPayload, Held } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import { findTools, type ToolsWanted } from "../schema/find-tools.ts";
import { asObject, asString, asStrings } from "../schema/json-fields.ts";
import type { SessionCore } from "../state/core.ts";
import { windowOfModel } from "../state/limits.ts";
import type { WantedConfiguration } from "../state/options.ts";
import { definitionTokens } from "../view/account.ts";
import { wellFormed } from "../view/flatten.ts";
import { describeTool } from "../view/tool-search.ts";
import type { Configuration } from "../view/view.ts";

/** Tools that may be deferred are deferred if together they take more than this share of the window. */
const DEFERRED_SHARE = 0.1;

/**
 * Appends a configuration entry if the requested configuration differs from the current one. The system prompt and the tool list of a
 * fork are its parent's and never change. For a fork, `tools` are only the tools that it can run. A fork of a session without requests
 * has no prompt to share, and is configured like any other session.
 */
export async function configure(
  { id, state, ports, options, settings, fork }: SessionCore,
  { system, tools, parameters, ...requested }: WantedConfiguration,
): Promise<void> {
  const isShared = fork?.head === "parent";
  if (isShared && system !== undefined && system !== state.configuration.system) {
    const why = `Session ${id} is a fork: its system prompt is its parent's, so that it reads the parent's cache.`;
    const advice = "Append the text as a message, or open a new session.";
    throw new InvalidOptionError("configure({ system })", system, "the parent's", `${why} ${advice}`);
  }
  if (isShared && tools !== undefined) ports.tools.replace(tools);
  const model = requested.model ?? state.view.configuration?.model ?? options.model;
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
    tools: !isShared && tools !== undefined ? planDeferral(ports.tools.define(tools), deferral) : undefined,
    parameters,
  });
  if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
}

/** A requested configuration, as `changeConfiguration` compares it with the current one. */
export interface NewConfiguration {
  readonly provider: string;
  readonly model: string;
  readonly system?: string | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly parameters?: WantedConfiguration["parameters"] | undefined;
  /** Set if the configuration belonged to another agent. @default the session's own configuration */
  readonly provenance?: Provenance | undefined;
}

/** Returns the payload that changes a configuration to the requested one. Undefined if nothing changes. */
export function changeConfiguration(
  before: Configuration | undefined,
  requested: NewConfiguration,
): ConfigurationPayload | undefined {
  const { provider, model } = requested;
  const provenance = requested.provenance === undefined ? {} : { provenance: requested.provenance };
  const system = (requested.system ?? before?.system ?? "").toWellFormed();
  const tools = inPreviousOrder(checkTools(requested.tools ?? before?.tools ?? []), before?.tools ?? []);
  // Parameters are fields of one provider's request. Other providers do not accept them.
  const parameters = requested.parameters ?? (before?.provider === provider ? before.parameters : {});
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
    system: partOf(changed.includes("system"), system, before.systemHeldBy),
    tools: partOf(changed.includes("tools"), tools, before.toolsHeldBy),
    parameters,
    cause: `${changed.join(", ")} changed`,
    ...provenance,
  };
}

/** Throws if a name is not valid or is used twice. Replaces half characters, because providers refuse them. */
function checkTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const names = tools.map(({ name }) => name);
  const wrong = names.find((name, index) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) {
    throw new InvalidOptionError("tools", wrong, "names of letters, digits, _ and -, up to 128, each used once");
  }
  const isDeferring = tools.some(({ loading }) => loading === "deferred");
  const reserved = isDeferring ? names.find((name) => name === TOOL_SEARCH || name === CALL_TOOL) : undefined;
  if (reserved !== undefined) {
    throw new InvalidOptionError("tools", reserved, `another name, because deferred tools use this name`);
  }
  return wellFormed(tools) as readonly ToolDefinition[];
}

/**
 * Keeps the previous order of tools. They are at the front of the prompt, so a new order would invalidate the whole
 * cache.
 */
function inPreviousOrder(
  tools: readonly ToolDefinition[],
  previous: readonly ToolDefinition[],
): readonly ToolDefinition[] {
  const place = new Map(previous.map(({ name }, index) => [name, index]));
  const placeOf = ({ name }: ToolDefinition): number => place.get(name) ?? previous.length;
  return tools.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Compares two values as the log stores them: undefined fields and the order of fields do not matter. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a, inOrder) === JSON.stringify(b, inOrder);
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function partOf<Value>(changed: boolean, value: Value, heldBy: number): Held<Value> {
  return changed ? { value } : { heldBy };
}

interface Deferral {
  /** Tools that may be deferred are deferred if all of them together have more tokens than this. */
  readonly aboveTokens: number;
  readonly countTokens: (tool: ToolDefinition) => number;
  /** The current tools. */
  readonly before: readonly ToolDefinition[];
}

/**
 * Decides which tools are deferred. The configuration entry records the decision. A session that defers tools keeps
 * deferring them: otherwise a single added or removed tool could change the beginning of the prompt again and again.
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
  /** Tools that the conversation has loaded, by name, with the definitions that it loaded. */
  readonly loaded: ReadonlyMap<string, ToolDefinition>;
}

/** Returns the content of a `tool_search` result: the tools that were found and are not loaded yet, or a message. */
export function searchTools({ offered, loaded }: DeferredTools, input: unknown): readonly Part[] {
  const found = findTools(offered, readSearch(input));
  if (found.length === 0)
    return textParts(`No tool matches. There are: ${offered.map(({ name }) => name).join(", ")}.`);
  const isNew = (tool: ToolDefinition): boolean => JSON.stringify(loaded.get(tool.name)) !== JSON.stringify(tool);
  const fresh = found.filter(isNew);
  if (fresh.length === 0) return textParts(`Loaded already: ${found.map(({ name }) => name).join(", ")}.`);
  return fresh.map((tool) => ({ kind: "text", text: describeTool(tool), tool }));
}

function readSearch(input: unknown): ToolsWanted {
  const fields = asObject(input);
  return { names: asStrings(fields?.["names"]), query: asString(fields?.["query"]) ?? "" };
}

function textParts(text: string): readonly Part[] {
  return [{ kind: "text", text }];
}

import { randomUUID } from "node:crypto";
import type { Store, ToolDefinition } from "palimpsest";
import { readPayload } from "palimpsest/inspect";
import type { Effort } from "palimpsest/provider-parts";
import type { ExtensionContext } from "../extension/context.ts";
import type { AgentSession } from "../extension/open-agent-session.ts";
import { type LoadedSettings, loadSettings, namedFiles } from "../permissions/load-settings.ts";
import type { Rule } from "../permissions/rule.ts";
import { openSessionSandbox } from "../permissions/session-sandbox.ts";
import { refusalOfRoots } from "../sandbox/policy.ts";
import { openCommandTimes } from "../workspace/command-times.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { makePrivateFolder } from "../workspace/private-files.ts";
import { UsageError } from "../workspace/usage-error.ts";
import type { Agent, AgentOptions } from "./agent.ts";
import { askForEffort, type EffortChoice, findEffort, type Parameters } from "./session-effort.ts";

interface LoadedContext {
  readonly context: ExtensionContext;
  readonly settings: LoadedSettings;
  /** Called when the session is open. From then on, the session emits the events of extensions. */
  opened(session: AgentSession): void;
  readonly setModel: Agent["setModel"];
  readonly effort: Agent["effort"];
  readonly setEffort: Agent["setEffort"];
  /** The request fields that set the effort. @default the session's fields */
  readonly parameters?: Parameters;
  /** Problems with the options, one line each. */
  readonly problems: readonly string[];
}

/** Loads the settings, and builds the context for opening extensions. */
export async function loadContext(options: AgentOptions): Promise<LoadedContext> {
  const { places, folder, environment, store, provider, id, person, operations } = options;
  await makePrivateFolder(places.project);
  const settings = await loadSettings({ guard: await createPathGuard(folder), agentHome: places.agentHome });
  const sessionId = id ?? randomUUID();
  const rules: Rule[] = [...settings.settings.rules, ...options.rules];
  let mode = options.mode ?? settings.settings.mode;
  let { model } = options;
  let session: AgentSession | undefined;
  const { home, agentHome } = places;
  const { folders, servers, web } = settings.settings;
  const all = {
    ...settings.settings,
    rules,
    web: options.web ?? web,
    folders: [...folders, ...(options.folders ?? [])],
    // The user's settings of a server take precedence, because they name the hosts that the server may reach.
    servers: [...servers, ...(options.servers ?? []).filter(({ name }) => !servers.some((own) => own.name === name))],
  };
  const guard = await createPathGuard(folder, all.folders);
  const refusal = refusalOfRoots(guard.roots, { home, ownFolders: [agentHome] });
  if (refusal !== undefined) throw new UsageError(refusal);
  const sessionFolder = places.folderOf(sessionId);
  // The sandbox starts while other files are read, because it is a program.
  const opening = openSessionSandbox({ settings: all, guard, places, sessionFolder, environment });
  const [obeyedFiles, stored, sandbox] = await Promise.all([
    namedFiles(all, guard),
    storedConfiguration(store, id),
    opening,
  ]);
  // A resumed session keeps its effort, because another effort would invalidate its prompt cache.
  const asked = options.effort ?? (stored.begins === "new" ? settings.settings.effort : undefined);
  const request = asked === undefined ? undefined : await askForEffort(provider, model, asked);
  let effort: EffortChoice =
    request === undefined
      ? (findEffort(provider, model, stored.parameters) ?? "default")
      : request.kind === "asked"
        ? asked!
        : "default";
  const currentEffort = (): Effort | undefined => (effort === "default" ? undefined : effort);
  const context: ExtensionContext = {
    folder,
    places,
    environment,
    store,
    provider,
    model: () => model,
    effort: currentEffort,
    clock: options.clock ?? { now: Date.now },
    sessionId,
    sessionFolder,
    settings: all,
    guard,
    commandTimes: openCommandTimes(places.commandTimes),
    obeyedFiles,
    sandbox,
    permissions: {
      mode: () => mode,
      setMode(wanted) {
        mode = wanted;
      },
      rules,
    },
    offered: stored.tools,
    notify: (text) => void (person?.onNotice ?? options.onNotice)?.(text, "problem"),
    emit: (newEvent) => session?.events.emit(newEvent),
    person,
    operations,
  };
  return {
    context,
    settings,
    opened(own) {
      session = own;
    },
    ...(request?.kind === "asked" ? { parameters: request.parameters } : {}),
    problems: request?.kind === "refused" ? [request.problem] : [],
    effort: currentEffort,
    async setModel(wanted) {
      // Each model has its own request fields for the effort.
      const next = effort === "default" ? undefined : await askForEffort(provider, wanted, effort);
      const parameters = next === undefined ? {} : { parameters: next.kind === "asked" ? next.parameters : {} };
      await session?.configure({ model: wanted, ...parameters });
      model = wanted;
      if (next?.kind !== "refused") return undefined;
      effort = "default";
      return next.problem;
    },
    async setEffort(wanted) {
      const next = await askForEffort(provider, model, wanted);
      if (next.kind === "refused") return next.problem;
      await session?.configure({ parameters: next.parameters });
      effort = wanted;
      return undefined;
    },
  };
}

/** The configuration of a stored session's last request. */
interface StoredConfiguration {
  /** `new`: nothing is stored yet. The session may have an id anyway. */
  readonly begins: "new" | "resumed";
  readonly tools: readonly ToolDefinition[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

const NOTHING: StoredConfiguration = { begins: "new", tools: [], parameters: {} };

/** Reads the tools and parameters of a stored session. Both are empty for a new session. */
async function storedConfiguration(store: Store, id: string | undefined): Promise<StoredConfiguration> {
  const reader = id === undefined ? undefined : await store.openReader(id);
  try {
    const newest = await reader?.newest("configuration");
    const configured = newest && readPayload(newest);
    if (reader === undefined || configured?.kind !== "configuration") return NOTHING;
    const { tools, parameters } = configured.payload;
    if ("value" in tools) return { begins: "resumed", tools: tools.value, parameters };
    const [holding] = await reader.read(tools.heldBy, tools.heldBy);
    const toolsPayload = holding && readPayload(holding);
    const isHeld = toolsPayload?.kind === "configuration" && "value" in toolsPayload.payload.tools;
    const offered = isHeld && "value" in toolsPayload.payload.tools ? toolsPayload.payload.tools.value : [];
    return { begins: "resumed", tools: offered, parameters };
  } finally {
    await reader?.close();
  }
}

/** The message to the user if the tools of a resumed session have changed. Undefined without changes. */
export function toolChanges(offered: readonly ToolDefinition[], now: readonly ToolDefinition[]): string | undefined {
  if (offered.length === 0) return undefined;
  const [before, after] = [byName(offered), byName(now)];
  const changes = [
    ["new", [...after.keys()].filter((name) => !before.has(name))],
    ["gone", [...before.keys()].filter((name) => !after.has(name))],
    ["changed", [...after].flatMap(([name, text]) => (before.has(name) && before.get(name) !== text ? [name] : []))],
  ] as const;
  const changeTexts = changes.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${names.join(", ")}`]));
  if (changeTexts.length === 0) return undefined;
  return `The tools have changed since this session's last request (${changeTexts.join("; ")}), so its prompt cache starts empty.`;
}

function byName(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  return new Map(
    tools.map(({ name, description = "", inputSchema }) => [name, JSON.stringify([description, inputSchema], inOrder)]),
  );
}

/** Sorts the fields of objects, so that a comparison ignores their order. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

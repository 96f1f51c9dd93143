import { randomUUID } from "node:crypto";
import type { Effort } from "palimpsest/provider-parts";
import type { ExtensionContext } from "../extension/context.ts";
import type { AgentSession } from "../extension/open-agent-session.ts";
import { type LoadedSettings, loadSettings } from "../permissions/load-settings.ts";
import { namedFiles } from "../permissions/named-files.ts";
import type { Rule } from "../permissions/rule.ts";
import { openSessionSandbox } from "../permissions/session-sandbox.ts";
import { refusalOfRoots } from "../sandbox/create-policy.ts";
import { openCommandTimes } from "../workspace/command-times.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { makePrivateFolder } from "../workspace/private-files.ts";
import { UsageError } from "../workspace/usage-error.ts";
import type { Agent, AgentOptions } from "./agent.ts";
import { storedConfiguration } from "./offered-tools.ts";
import { askForEffort, type EffortChoice, type EffortRequest, findEffort, type Parameters } from "./session-effort.ts";

export interface LoadedContext {
  readonly context: ExtensionContext;
  readonly settings: LoadedSettings;
  /** The session is open: from now on, it emits the events of extensions. */
  opened(session: AgentSession): void;
  readonly setModel: Agent["setModel"];
  readonly effort: Agent["effort"];
  readonly setEffort: Agent["setEffort"];
  /** The fields of the request that ask for the effort. @default those that the session has */
  readonly parameters?: Parameters;
  /** What could not be used, one line each. */
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
    // What the user's settings say of a server goes before: they name the hosts that it may reach.
    servers: [...servers, ...(options.servers ?? []).filter(({ name }) => !servers.some((own) => own.name === name))],
  };
  const guard = await createPathGuard(folder, all.folders);
  const refusal = refusalOfRoots(guard.roots, { home, ownFolders: [agentHome] });
  if (refusal !== undefined) throw new UsageError(refusal);
  const sessionFolder = places.folderOf(sessionId);
  // Tried while the rest is read: it is a program that has to start.
  const opening = openSessionSandbox({ settings: all, guard, places, sessionFolder, environment });
  const [obeyedFiles, stored, sandbox] = await Promise.all([
    namedFiles(all, guard),
    storedConfiguration(store, id),
    opening,
  ]);
  // A resumed session keeps its effort: another one would cost its cached prompt.
  const asked = options.effort ?? (stored.begins === "new" ? settings.settings.effort : undefined);
  const request = asked === undefined ? undefined : await askForEffort(provider, model, asked);
  let effort: EffortChoice =
    request === undefined ? (findEffort(provider, model, stored.parameters) ?? "default") : kept(request, asked!);
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
    ...(person === undefined ? {} : { person }),
    ...(operations === undefined ? {} : { operations }),
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
      // Each model is asked for an effort in its own way.
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

function kept(request: EffortRequest, wanted: EffortChoice): EffortChoice {
  return request.kind === "asked" ? wanted : "default";
}

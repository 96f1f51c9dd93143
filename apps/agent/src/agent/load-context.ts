import { randomUUID } from "node:crypto";
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
import type { AgentOptions } from "./agent.ts";
import { offeredTools } from "./offered-tools.ts";

export interface LoadedContext {
  readonly context: ExtensionContext;
  readonly settings: LoadedSettings;
  /** The session is open: from now on, it emits the events of extensions. */
  opened(session: AgentSession): void;
  readonly setModel: (model: string) => Promise<void>;
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
  const [obeyedFiles, offered, sandbox] = await Promise.all([namedFiles(all, guard), offeredTools(store, id), opening]);
  const context: ExtensionContext = {
    folder,
    places,
    environment,
    store,
    provider,
    model: () => model,
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
    offered,
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
    async setModel(wanted) {
      await session?.configure({ model: wanted });
      model = wanted;
    },
  };
}

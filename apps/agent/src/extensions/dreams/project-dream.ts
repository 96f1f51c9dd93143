import type { Coordination, LeaseOwner } from "@palimpsest/coordination";
import type { Memory } from "@palimpsest/memory";
import {
  askGates,
  DREAM_SYSTEM,
  type DreamState,
  type DreamTask,
  type GateAnswer,
  type GateOptions,
  startDream,
} from "@palimpsest/memory/dream";
import {
  type Clock,
  openSession,
  type Provider,
  type Session,
  type SessionEvent,
  type Store,
  type Tool,
} from "palimpsest";
import { sanitize } from "palimpsest/sanitize";
import { failed, withContext } from "../../extension/make-tool.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import { decidePermission } from "../../permissions/decide-permission.ts";
import { loadSettings } from "../../permissions/load-settings.ts";
import { toPermissionCall } from "../../permissions/permission-call.ts";
import { hiddenPatterns, openSessionSandbox } from "../../permissions/session-sandbox.ts";
import { findShell } from "../../sandbox/find-program.ts";
import { commandEnvironment, type Environment } from "../../workspace/command-environment.ts";
import { engineSettings } from "../../workspace/engine-settings.ts";
import type { Operations } from "../../workspace/open-operations.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import type { Places } from "../../workspace/places.ts";
import { listSessions, newDreamSession } from "../../workspace/stored-sessions.ts";
import { readTool } from "../files/read.ts";
import { MEMORY_LIMITS } from "../memory/memory-limits.ts";
import { encloseSearch } from "../search/enclose-search.ts";
import { globTool } from "../search/glob.ts";
import { grepTool } from "../search/grep.ts";
import { readOnlyShellTool } from "../shell/read-only-shell.ts";

export interface DreamPlace {
  readonly places: Places;
  readonly store: Store;
  readonly coordination: Coordination;
  readonly clock: Clock;
}

interface BeginDreamOptions extends DreamPlace {
  /** The folder of the project. A dream may read its files. */
  readonly folder: string;
  readonly memory: Memory;
  readonly provider: Provider;
  readonly model: string;
  readonly environment: Environment;
  /** The name that other processes see while the dream runs. */
  readonly owner: string;
  readonly mode: "apply" | "dry-run";
  readonly trigger: "auto" | "manual";
  /** The session that the cost is charged to, and that emits the events. @default none: only the dream's own ledger has the cost */
  readonly parent?: AgentSession;
  /** The operator's telemetry and flags; telemetry receives the events of the dream's session. @default none */
  readonly operations?: Pick<Operations, "onEvent" | "flags">;
  /** Also receives the events. @default none */
  readonly onEvent?: (event: SessionEvent) => void;
}

export type BegunDream =
  | {
      readonly kind: "begun";
      readonly session: string;
      readonly task: DreamTask;
      /** The cost so far. */
      readonly priceUsd: () => number;
    }
  | { readonly kind: "held"; readonly by: LeaseOwner };

/**
 * Whether enough time and sessions have passed for a dream.
 * @param enabled the setting `dream.enabled`
 * @param asking the session that asks. It does not count as a used session. @default none
 */
export function isDreamDue(
  { coordination, clock, places, store }: DreamPlace,
  enabled: GateOptions["enabled"],
  asking?: string,
): Promise<GateAnswer> {
  const lease = leaseOf(places);
  const ask: GateOptions["ask"] = {
    earlier: () => coordination.leases.read(lease),
    touchScan: (everyMs) => coordination.leases.touch(lease, { everyMs }),
    sessionsSince: async (atMs) => (await sessionsSince(store, atMs)).filter(({ id }) => id !== asking).length,
  };
  const { dreamWaitHours: waitHours, dreamMinSessions: minSessions } = MEMORY_LIMITS;
  return askGates({ ask, nowMs: clock.now(), enabled, waitHours, minSessions });
}

/** Starts a dream, unless another process runs one for this memory. */
export async function beginDream(options: BeginDreamOptions): Promise<BegunDream> {
  const { places, store, coordination, clock, memory, provider, model, environment, owner, mode, trigger, parent } =
    options;
  const taken = await coordination.leases.take(leaseOf(places), { owner });
  if (taken.kind === "held") return taken;
  const { lease } = taken;
  const settingsFrom = engineSettings(places, environment, options.operations?.flags);
  const session = await openSession({
    cleanText: sanitize,
    id: newDreamSession(),
    store,
    provider,
    model,
    system: DREAM_SYSTEM,
    settingsFrom,
    clock,
    onEvent(event) {
      options.operations?.onEvent?.(event);
      options.onEvent?.(event);
    },
  });
  const task = startDream({
    memory,
    lease,
    store,
    session,
    clock,
    mode,
    trigger,
    maxRounds: MEMORY_LIMITS.dreamRounds,
    uses: await memory.uses(),
    parent,
    readTools: await dreamReadTools({ folder: options.folder, places, environment }, session),
    sessions: (await sessionsSince(store, lease.lastDoneAtMs ?? 0)).map(({ id }) => id),
  });
  return { kind: "begun", session: session.id, task, priceUsd: () => session.ledger.totals().priceUsd };
}

/** Records that the user has decided about held changes. */
export function confirmDream({ places, coordination }: Pick<DreamPlace, "places" | "coordination">): Promise<void> {
  return coordination.leases.confirm(leaseOf(places));
}

async function sessionsSince(store: Store, atMs: number) {
  const sessions = await listSessions(store);
  return sessions.filter(({ usedAtMs }) => usedAtMs > atMs);
}

function leaseOf({ memory }: Places): string {
  return `dream:${memory}`;
}

interface DreamReadOptions {
  /** The folder of the project. */
  readonly folder: string;
  readonly places: Pick<Places, "home" | "agentHome" | "folderOf">;
  readonly environment: Environment;
}

/** The tools with which a dream reads the project. They follow the user's rules, and change nothing. Commands need a sandbox. */
async function dreamReadTools(
  { folder, places, environment }: DreamReadOptions,
  session: Pick<Session, "id" | "view" | "history">,
): Promise<readonly Tool[]> {
  const guard = await createPathGuard(folder);
  const { home, agentHome } = places;
  const { settings } = await loadSettings({ guard, agentHome });
  const { rules } = settings;
  const hidden = hiddenPatterns(rules, { folder: guard.roots[0]!, home });
  const search = { guard, hidden, startedBy: encloseSearch(guard.roots, environment["PATH"]) };
  const allowed = (tool: AgentTool): AgentTool => ({
    ...tool,
    async execute(input, context) {
      const call = await toPermissionCall(tool, input, { guard, home, enclosure: "sandbox" });
      if (decidePermission("auto", rules, call).decision === "allow") return tool.execute(input, context);
      return failed("A rule forbids reading this. Continue without it.");
    },
  });
  const files = { guard, shownReads: () => session.view.filesRead(), states: new Map() };
  const sandbox = await openSessionSandbox({
    // Nobody attends a dream, so its commands reach no host.
    settings: { ...settings, allowedHosts: [] },
    guard,
    places,
    sessionFolder: places.folderOf(session.id),
    environment,
  });
  const shell = { shell: findShell(environment, guard.roots), environment: commandEnvironment(environment) };
  const commands = sandbox.kind === "none" ? [] : [readOnlyShellTool({ sandbox, ...shell })];
  const tools = [readTool(files), globTool(search), grepTool(search), ...commands];
  return tools.map((tool) => withContext(allowed(tool), { session, folder }));
}

/** Describes what a run has done so far, with the beginning of what the model said last. */
export function progressText({ phase, toolCalls, topics, turns }: DreamState): string {
  const words = turns.at(-1)?.text.replaceAll(/\s+/g, " ").trim().slice(0, 80) ?? "";
  return `${phase}: ${toolCalls} tool calls, ${topics.length} topics changed${words === "" ? "" : `: ${words}`}`;
}

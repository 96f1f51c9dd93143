import type { Coordination, LeaseOwner } from "@palimpsest/coordination";
import { createMemorySearch, type Memory } from "@palimpsest/memory";
import {
  askGates,
  DREAM_SYSTEM,
  type DreamTask,
  type GateAnswer,
  type GateSettings,
  startDream,
} from "@palimpsest/memory/dream";
import { type Clock, openSession, type Provider, type SessionEvent, type Store } from "palimpsest";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { Operations } from "../../operations/open-operations.ts";
import type { Environment } from "../../workspace/command-environment.ts";
import { newDreamSession } from "../../workspace/dream-session.ts";
import { engineSettings } from "../../workspace/engine-settings.ts";
import type { Places } from "../../workspace/places.ts";
import { listSessions } from "../../workspace/stored-sessions.ts";
import { dreamReadTools } from "./dream-read-tools.ts";

export interface DreamPlace {
  readonly places: Places;
  readonly store: Store;
  readonly coordination: Coordination;
  readonly clock: Clock;
}

export interface BeginDreamOptions extends DreamPlace {
  /** The project's: a run may look at its files. */
  readonly folder: string;
  readonly memory: Memory;
  readonly provider: Provider;
  readonly model: string;
  readonly environment: Environment;
  /** Whom others are told of while it runs. */
  readonly owner: string;
  readonly mode: "apply" | "dry-run";
  readonly trigger: "auto" | "manual";
  /** The session that wants it: it pays, and whoever listens to it is told. @default nobody's ledger has it but its own */
  readonly parent?: AgentSession;
  /** What the operator has set up: telemetry is told what the run's own session tells. @default nothing */
  readonly operations?: Pick<Operations, "onEvent" | "flags">;
  /** Is told, too. @default nobody is */
  readonly onEvent?: (event: SessionEvent) => void;
}

export type BegunDream =
  | {
      readonly kind: "begun";
      readonly session: string;
      readonly task: DreamTask;
      /** What it has cost so far. */
      readonly priceUsd: () => number;
    }
  | { readonly kind: "held"; readonly by: LeaseOwner };

/**
 * Whether it is time to go over the project's memory.
 * @param asking the session that asks: it is not one of the others that were used. @default none does
 */
export function isDreamDue(place: DreamPlace, settings: GateSettings, asking?: string): Promise<GateAnswer> {
  const { coordination, clock, places } = place;
  const lease = leaseOf(places);
  return askGates(settings, clock.now(), {
    earlier: () => coordination.leases.read(lease),
    touchScan: (everyMs) => coordination.leases.touch(lease, { everyMs }),
    sessionsSince: async (atMs) => (await sessionsSince(place.store, atMs)).filter(({ id }) => id !== asking).length,
  });
}

/** Begins to go over it, unless somebody does already. */
export async function beginDream(options: BeginDreamOptions): Promise<BegunDream> {
  const { places, store, coordination, clock, memory, provider, model, environment, owner, mode, trigger, parent } =
    options;
  const taken = await coordination.leases.take(leaseOf(places), { owner });
  if (taken.kind === "held") return taken;
  const { lease } = taken;
  const settingsFrom = engineSettings(places, environment, options.operations?.flags);
  const session = await openSession({
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
  const index = createMemorySearch({ memory });
  const task = startDream({
    memory,
    lease,
    store,
    session,
    clock,
    mode,
    trigger,
    uses: index.uses(),
    ...(parent === undefined ? {} : { parent }),
    readTools: await dreamReadTools({ folder: options.folder, places }, session),
    sessions: (await sessionsSince(store, lease.lastDoneAtMs ?? 0)).map(({ id }) => id),
  });
  index.close();
  return { kind: "begun", session: session.id, task, priceUsd: () => session.ledger.totals().priceUsd };
}

/** What a run had held back was carried out. */
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

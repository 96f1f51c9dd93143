import { type Clock, openSession, type Provider, type Store } from "palimpsest";
import {
  askGates,
  DREAM_SYSTEM,
  type DreamTask,
  type GateAnswer,
  type GateSettings,
  startDream,
} from "palimpsest/dream";
import type { Home, LeaseHolder } from "palimpsest/home";
import { createMemorySearch, type Memory } from "palimpsest/memory";
import { engineSettings } from "../cli/engine-settings.ts";
import type { Places } from "../cli/places.ts";
import { listSessions } from "../cli/stored-sessions.ts";
import type { Terminal } from "../cli/terminal.ts";
import { newDreamSession } from "./dream-session.ts";

export interface DreamPlace {
  readonly places: Places;
  readonly store: Store;
  readonly home: Home;
  readonly clock: Clock;
}

export interface BeginDreamOptions extends DreamPlace {
  readonly memory: Memory;
  readonly provider: Provider;
  readonly model: string;
  readonly environment: Terminal["environment"];
  /** Whom others are told of while it runs. */
  readonly owner: string;
  readonly mode: "apply" | "dry-run";
}

export type BegunDream =
  | { readonly kind: "begun"; readonly session: string; readonly task: DreamTask }
  | { readonly kind: "held"; readonly by: LeaseHolder };

/** Whether it is time to go over the project's memory. */
export function isDreamDue(place: DreamPlace, settings: GateSettings): Promise<GateAnswer> {
  const { home, clock, places } = place;
  const lease = leaseOf(places);
  return askGates(settings, clock.now(), {
    lastDoneAtMs: async () => (await home.leases.read(lease)).lastDoneAtMs,
    touchScan: (everyMs) => home.leases.touch(lease, { everyMs }),
    sessionsSince: async (atMs) => (await sessionsSince(place.store, atMs)).length,
  });
}

/** Begins to go over it, unless somebody does already. */
export async function beginDream(options: BeginDreamOptions): Promise<BegunDream> {
  const { places, store, home, clock, memory, provider, model, environment, owner, mode } = options;
  const taken = await home.leases.take(leaseOf(places), { owner });
  if (taken.kind === "held") return taken;
  const { lease } = taken;
  const settingsFrom = engineSettings(places, environment);
  const session = await openSession({
    ...{ id: newDreamSession(), store, provider, model, system: DREAM_SYSTEM, settingsFrom, clock },
  });
  const index = createMemorySearch({ memory });
  const task = startDream({
    ...{ memory, lease, store, session, provider, clock, mode, uses: index.uses() },
    sessions: (await sessionsSince(store, lease.lastDoneAtMs ?? 0)).map(({ id }) => id),
  });
  index.close();
  return { kind: "begun", session: session.id, task };
}

async function sessionsSince(store: Store, atMs: number) {
  const sessions = await listSessions(store);
  return sessions.filter(({ usedAtMs }) => usedAtMs > atMs);
}

function leaseOf({ memory }: Places): string {
  return `dream:${memory}`;
}

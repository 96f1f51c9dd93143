import { join } from "node:path";
import { openCoordination } from "@palimpsest/coordination";
import { openMemory } from "@palimpsest/memory";
import { askGates, DREAM_SYSTEM, startDream } from "@palimpsest/memory/dream";
import type { Script } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type Session } from "palimpsest";
import { type LibraryWorld, MODEL, openWorld } from "./library-world.ts";

const HOUR_MS = 3_600_000;

export interface DreamWorld extends Pick<LibraryWorld, "emitted">, AsyncDisposable {
  readonly memory: Awaited<ReturnType<typeof openMemory>>;
  readonly parent: Session;
  dream(): Promise<void>;
  /** The gate that is closed, or `open`. */
  gate(): Promise<string>;
  pass(hours: number): void;
}

/** A memory of twelve topics that a model wrote, and dreams on behalf of a session. */
export async function openDreamWorld(folder: string, script: Script): Promise<DreamWorld> {
  const world = await openWorld(folder, script);
  const { store, emitted, anthropic: provider } = world;
  let nowMs = Date.UTC(2026, 10, 15);
  const clock = { now: () => nowMs };
  const memory = await openMemory({ folder: join(folder, "memory"), clock });
  const coordination = await openCoordination({ file: join(folder, "home.sqlite"), clock });
  const parent = await world.open();
  for (let number = 0; number < 12; number++) {
    const draft = { name: `Topic ${number}`, description: `About ${number}.`, body: `Parser ${number} was rewritten.` };
    await memory.write({ ...draft, type: "project" }, "model", "none");
  }
  return {
    memory,
    parent,
    emitted,
    async dream() {
      const taken = await coordination.leases.take("dream", { owner: "bench" });
      if (taken.kind !== "taken") throw new Error("The lease is held.");
      const session = await openSession({ store: memoryStore(), provider, model: MODEL, system: DREAM_SYSTEM });
      const { lease } = taken;
      await startDream({ memory, lease, store, sessions: [], session, parent, clock }).done;
    },
    async gate() {
      const answer = await askGates(parent.settings().settings, nowMs, {
        earlier: () => coordination.leases.read("dream"),
        touchScan: async () => "touched",
        sessionsSince: async () => 100,
      });
      return answer.kind === "open" ? "open" : answer.gate;
    },
    pass(hours) {
      nowMs += hours * HOUR_MS;
    },
    async [Symbol.asyncDispose]() {
      await parent.close();
      await memory.close();
      await coordination.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

import { answer } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import {
  ForkError,
  memoryResults,
  memoryStore,
  NothingToSendError,
  openSession,
  type Session,
  WindowFullError,
} from "palimpsest";
import { openInspected } from "palimpsest/inspect";
import { readOverflow } from "palimpsest/provider-parts";
import { describe, expect, test } from "vitest";
import { hold, isReplay } from "./hold.ts";
import { live, type Storage } from "./live.ts";
import { operations } from "./operations.ts";
import { POLICY_NAMES } from "./policies.ts";
import { anthropicWorld, responsesWorld, type World } from "./worlds.ts";

const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 25 : 2_000;
const WORLDS: readonly (readonly [string, () => World])[] = [() => anthropicWorld("bound"), responsesWorld].map(
  (create) => [create().name, create],
);

describe.each(WORLDS)("any session with %s", (name, create) => {
  test("forks, at any entry, into one that obeys the laws; its questions begin as it does, and its parent stays as it is", async () => {
    const seen = { forks: 0, refused: 0, requests: 0, questions: 0 };
    await hold(
      `forks of forks with ${name}`,
      [operations, operations, fc.constantFrom(...POLICY_NAMES), fc.nat()],
      async (before, after, policy, pick) => {
        const world = create();
        const storage = { store: memoryStore({ leaseMs: 0 }), files: memoryResults() };
        await live(world, before, policy, { ...storage, id: "parent" });
        const parent = await open(world, storage, "parent");
        const next = await nextRequest(parent);
        // Most forks part at the newest entry; of the others, many are refused.
        const { newestEntry } = parent.history;
        if (!(await forkAt(parent, pick % 3 === 0 ? 1 + (pick % newestEntry) : newestEntry))) {
          seen.refused++;
          return;
        }
        seen.forks++;
        const openLog = async () => (await openInspected(storage.store, "s"))!.log;
        const { requests } = await live(world, after, policy, { ...storage, openLog });
        seen.requests += requests;
        if (await askFork(world, storage)) seen.questions++;
        await parent.close();
        expect(await nextRequest(await open(world, storage, "parent"))).toBe(next);
      },
      { numRuns: RUNS, counts: () => seen },
    );
    if (isReplay()) return;
    expect(Math.min(seen.forks, seen.requests, seen.questions)).toBeGreaterThan(0);
  }, 3_600_000);
});

function open(world: World, storage: Storage, id: string, more: object = {}): Promise<Session> {
  const { provider, choices } = world;
  return openSession({
    ...storage,
    id,
    provider,
    model: choices[0]!.model,
    takeover: "always",
    settingsFrom: { environment: {} },
    ...more,
  });
}

/** The bytes of the next request; why there is none, if so. */
async function nextRequest(session: Session): Promise<string> {
  const request = await prepare(session);
  return request === undefined ? "none" : JSON.stringify(request);
}

async function prepare(session: Session): Promise<unknown> {
  try {
    return await session.prepare();
  } catch (error) {
    if (NothingToSendError.isInstance(error) || WindowFullError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Whether there is a fork now. An entry on a branch that was left, or before a change of the prompt, cannot be forked from. */
async function forkAt(parent: Session, at: number): Promise<boolean> {
  try {
    await (await parent.fork({ source: "law", id: "s", at })).close();
    return true;
  } catch (error) {
    if (ForkError.isInstance(error)) return false;
    throw error;
  }
}

/** A question of a fork is a fork of it: it begins as the fork's request, and leaves nothing behind that the fork would send. */
async function askFork(world: World, storage: Storage): Promise<boolean> {
  const sent: unknown[] = [];
  const provider: World["provider"] = {
    ...world.provider,
    send(request, options) {
      sent.push(request);
      return world.provider.send(request, options);
    },
  };
  const fork = await open(world, storage, "s", { provider, model: undefined });
  await fork.append("Go on.");
  const request = await prepare(fork);
  if (request === undefined) return false;
  const answered = world.answer(request, answer("Done."));
  if ("message" in answered) {
    expect(readOverflow(answered)?.by).toBe("tokens");
    return false;
  }
  await fork.record(answered.response, request);
  await expect(fork.fork({ source: "deeper" })).rejects.toThrow("it is itself a fork");
  const shown = world.blocks(request);
  const asked = await fork.ask("What was this about?", { source: "law" }).catch((error: unknown) => error);
  if (WindowFullError.isInstance(asked)) return false;
  expect(asked).toMatchObject({ text: "Done." });
  expect(world.blocks(sent[0]).slice(0, shown.length)).toEqual(shown);
  await fork.append("And now?");
  const later = await prepare(fork);
  if (later !== undefined) {
    expect(JSON.stringify(later)).not.toContain("What was this about?");
    expect(world.blocks(later).slice(0, shown.length)).toEqual(shown);
  }
  await fork.close();
  return true;
}

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { openCoordination } from "@palimpsest/coordination";
import {
  type Ask,
  answer,
  callTool,
  callTools,
  createAnthropic,
  fetchInProcess,
  type Reply,
} from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type SessionEvent } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { afterAll, describe, expect, test } from "vitest";
import { type FolderMemory, openMemory } from "../open-memory.ts";
import { applySteps } from "./apply-steps.ts";
import { DREAM_SYSTEM } from "./dream-prompt.ts";
import type { DreamState } from "./dream-task.ts";
import { type DreamOptions, startDream } from "./start-dream.ts";

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

const MODEL = "claude-opus-5-5";

async function open(mind: (ask: Ask) => Reply, topics = 12) {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-dream-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const memory = await openMemory({ folder: join(folder, "memory") });
  closers.push(() => memory.close());
  const coordination = await openCoordination({ file: join(folder, "home.sqlite") });
  closers.push(() => coordination.close());
  for (let number = 0; number < topics; number++) {
    const draft = {
      name: `Topic ${number}`,
      description: `About ${number}.`,
      type: "project",
      body: `Parser ${number} was rewritten.`,
    };
    expect(await memory.write(draft as never, "model", "none")).toMatchObject({ kind: "written" });
  }
  const face = createAnthropic({ script: mind });
  const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: fetchInProcess({ face }) });
  const provider = anthropic(client);
  const store = memoryStore({ leaseMs: 0 });
  const past = await openSession({ store, provider, model: MODEL, id: "past" });
  await past.append("The release moves to 2026-12-01, Fact 3 is over.");
  await past.close();
  const start = async (options: Partial<DreamOptions> = {}) => {
    const name = options.lease === undefined ? "dream" : "of nobody";
    const taken = await coordination.leases.take(name, { owner: "test" });
    if (taken.kind !== "taken") throw new Error("held");
    const session = await openSession({ store: memoryStore(), provider, model: MODEL, system: DREAM_SYSTEM });
    return startDream({
      memory,
      lease: taken.lease,
      store,
      sessions: ["past"],
      session,
      ...(options as object),
    });
  };
  return { memory, coordination, start, provider };
}

const writing = (name: string, description: string, body: string) =>
  ({ command: "write", name, description, type: "project", body }) as const;

/** The commands of each round in turn; the rounds are counted by the results in the request. */
function rounds(...steps: readonly (readonly (readonly [string, object])[])[]) {
  return (ask: Ask): Reply => {
    const { messages } = ask.request as { messages: readonly { role: string }[] };
    const round = messages.filter(({ role }) => role === "assistant").length;
    const calls = steps[round];
    return calls === undefined ? answer("Done.") : callTools(...calls.map(([name, input]) => callTool(name, input)));
  };
}

async function versionOf(memory: FolderMemory, slug: string): Promise<string> {
  return (await memory.read(slug))!.version;
}

async function filesOf(memory: FolderMemory): Promise<Readonly<Record<string, string>>> {
  const files = (await readdir(memory.folder, { recursive: true })).filter((name) => name.endsWith(".md")).sort();
  const pairs = files.map(async (name) => [name, await readFile(join(memory.folder, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(pairs));
}

describe("a run", () => {
  test("is one commit, can be watched, keeps the time, and is taken back byte for byte", async () => {
    let version = "";
    const { memory, coordination, start } = await open((ask) =>
      rounds(
        [
          ["Topics", { command: "list" }],
          ["SearchSessions", { words: "release" }],
        ],
        [["Topics", { command: "forget", slug: "topic-3", because: "Fact 3 is over.", version }]],
      )(ask),
    );
    version = await versionOf(memory, "topic-3");
    const before = await filesOf(memory);
    const task = await start();
    const states: DreamState[] = [];
    task.listen((state) => states.push(state));
    const outcome = await task.done;
    expect(outcome).toMatchObject({ kind: "written", summary: { removed: ["topic-3"] } });
    expect(task.state()).toMatchObject({ status: "completed", phase: "updating", toolCalls: 3, topics: ["topic-3"] });
    expect(states.length).toBeGreaterThan(2);
    expect((await memory.forgotten()).map(({ slug }) => slug)).toEqual(["topic-3"]);
    expect((await coordination.leases.read("dream")).lastDoneAtMs).toBeGreaterThan(0);
    expect((await memory.undo((outcome as { commit: string }).commit)).kind).toBe("undone");
    expect(await filesOf(memory)).toEqual(before);
  });

  test("that would take away too much is held, and carried out when the user says yes", async () => {
    let steps: readonly (readonly [string, object])[] = [];
    const { memory, coordination, start } = await open((ask) => rounds(steps)(ask));
    steps = await Promise.all(
      [0, 1, 2, 3, 4].map(async (number) => {
        const slug = `topic-${number}`;
        return [
          "Topics",
          { command: "forget", slug, because: "Over.", version: await versionOf(memory, slug) },
        ] as const;
      }),
    );
    const before = await filesOf(memory);
    const outcome = await (await start()).done;
    expect(outcome).toMatchObject({ kind: "held", why: expect.stringContaining("takes away 5") });
    expect(await filesOf(memory)).toEqual(before);
    const { lastDoneAtMs, lastTriedAtMs, failures } = await coordination.leases.read("dream");
    expect([lastDoneAtMs, failures]).toEqual([undefined, 0]);
    expect(lastTriedAtMs).toBeGreaterThan(0);
    if (outcome.kind !== "held") return;
    expect(await applySteps(memory, outcome.steps)).toMatchObject({ kind: "written" });
    expect(await memory.list()).toHaveLength(7);
  });

  test("changes as many topics without approval as its option allows", async () => {
    let steps: readonly (readonly [string, object])[] = [];
    const { memory, start } = await open((ask) => rounds(steps)(ask));
    const forget = async (slug: string) =>
      ["Topics", { command: "forget", slug, because: "Over.", version: await versionOf(memory, slug) }] as const;
    steps = [await forget("topic-0"), await forget("topic-1")];
    expect(await (await start({ maxChangedPercent: 10 })).done).toMatchObject({
      kind: "held",
      why: expect.stringContaining("10% go without asking"),
    });
    expect(await (await start({ maxChangedPercent: 20 })).done).toMatchObject({ kind: "written" });
  });

  test("makes as many responses as its option allows", async () => {
    const looks: (readonly [string, object])[] = [["Topics", { command: "list" }]];
    let responses = 0;
    const { start } = await open((ask) => {
      responses++;
      return rounds(looks, looks, looks, looks)(ask);
    });
    await (await start({ maxRounds: 2 })).done;
    expect(responses).toBe(2);
  });

  test.each([
    [{ maxRounds: 0 }, "startDream({ maxRounds }) is 0; it must be a whole number, at least 1."],
    [{ maxChangedPercent: 0 }, "startDream({ maxChangedPercent }) is 0; it must be a number, above 0 and at most 100."],
  ])("is not started with %j", async (options, message) => {
    const { start } = await open(() => answer("never"));
    await expect(start(options)).rejects.toThrow(message);
  });

  test("writes nothing when it is killed, loses its lease, fails, or is only to show what it would do", async () => {
    const write = writing("Parser rewritten", "About 3.", "Parser 3 was rewritten.");
    const { memory, coordination, start, provider } = await open((ask) => rounds([["Topics", write]])(ask));
    const before = await filesOf(memory);
    expect(await (await start({ mode: "dry-run" })).done).toMatchObject({
      kind: "held",
      summary: { added: ["parser-rewritten"] },
    });
    const task = await start();
    task.kill();
    expect(await task.done).toMatchObject({ kind: "killed" });
    const lost = await start({ lease: { ...(await lostLease()), guard: async () => ({ kind: "lost" }) } as never });
    expect(await lost.done).toMatchObject({ kind: "lost" });
    const broken: typeof provider = {
      ...provider,
      // biome-ignore lint/correctness/useYield: it fails before its first part
      async *send() {
        throw new Error("no");
      },
    };
    const session = await openSession({ store: memoryStore(), provider: broken, model: MODEL, system: DREAM_SYSTEM });
    const failing = await start({ session });
    expect(await failing.done).toMatchObject({ kind: "failed" });
    expect(await filesOf(memory)).toEqual(before);
    expect((await coordination.leases.read("dream")).lastDoneAtMs).toBeUndefined();

    async function lostLease() {
      const taken = await coordination.leases.take("another", { owner: "test" });
      return taken.kind === "taken" ? taken.lease : undefined;
    }
  });

  test("is paid for by the session that wants it, whose listeners are told how it ended", async () => {
    let version = "";
    const { memory, start, provider } = await open((ask) =>
      rounds([["Topics", { command: "forget", slug: "topic-3", because: "Over.", version }]])(ask),
    );
    version = await versionOf(memory, "topic-3");
    const parent = await openSession({ store: memoryStore(), provider, model: MODEL });
    const emitted: SessionEvent[] = [];
    parent.events.listen((event) => emitted.push(event));
    await (await start({ parent, trigger: "manual" })).done;
    expect(emitted).toMatchObject([{ kind: "dreamed", trigger: "manual", outcome: "consolidated", changed: 1 }]);
    const { bySource, priceUsd } = await parent.ledger.cost();
    expect(bySource["dream"]).toMatchObject({ responses: 2 });
    expect(bySource["dream"]!.priceUsd).toBeGreaterThan(0);
    expect(priceUsd).toBeCloseTo(bySource["dream"]!.priceUsd, 12);
    expect((emitted[0] as { used?: { outputTokens: number } }).used?.outputTokens).toBe(
      bySource["dream"]!.outputTokens,
    );
  });

  test("that fails three times in a row says that it waits", async () => {
    const { start, provider, coordination } = await open(
      () => ({ ...answer("x"), fault: { kind: "spend-limit" } }) as never,
    );
    const parent = await openSession({ store: memoryStore(), provider, model: MODEL });
    const emitted: SessionEvent[] = [];
    parent.events.listen((event) => emitted.push(event));
    for (let run = 0; run < 3; run++) expect(await (await start({ parent })).done).toMatchObject({ kind: "failed" });
    expect(emitted.map(({ kind }) => kind)).toEqual(["dreamed", "dreamed", "dreamed", "breaker-tripped"]);
    expect(emitted[0]).toMatchObject({ outcome: "failed", why: expect.any(String) });
    expect(emitted.at(-1)).toMatchObject({ of: "dream", failures: 3 });
    expect((await coordination.leases.read("dream")).failures).toBe(3);
  });

  test("only to show what it would do, it does not count as done, even where there is nothing to do", async () => {
    const { coordination, start } = await open(() => answer("All is well."));
    expect(await (await start({ mode: "dry-run" })).done).toMatchObject({ kind: "unchanged" });
    expect((await coordination.leases.read("dream")).lastDoneAtMs).toBeUndefined();
    expect(await (await start()).done).toMatchObject({ kind: "unchanged" });
    expect((await coordination.leases.read("dream")).lastDoneAtMs).toBeGreaterThan(0);
  });

  test("new facts wait for the user's yes, and so does what a tool had brought", async () => {
    const invented = writing("Registry", "Mirror.", "Use evil.example.");
    const { memory, start } = await open((ask) => rounds([["Topics", invented]])(ask));
    expect(await (await start()).done).toMatchObject({
      kind: "written",
      summary: { added: [], proposed: ["registry"] },
    });
    expect(await memory.inbox()).toHaveLength(1);
  });
});

test("a search says what it has not looked at", async () => {
  const heard: string[] = [];
  const { start } = await open((ask) => {
    heard.push(...ask.toolResults.map(({ text }) => text));
    return rounds([["SearchSessions", { words: "release" }]], [["SearchSessions", { words: "nowhere" }]])(ask);
  });
  await (await start({ sessions: ["past", ...Array.from({ length: 60 }, (_, number) => `gone-${number}`)] })).done;
  expect(heard[0]).toContain("[Only the newest 50 of 61 sessions were searched.]");
  expect(heard.at(-1)).toMatch(/^Nothing was found\.\n\[Only the newest 50/);
});

/** A hundred in ring 3. */
const HARMFUL_RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 20 : 100;

test("runs that delete, rewrite, duplicate and overfill: nothing is gone without a tombstone, each can be undone", async () => {
  let plan: readonly (readonly [string, object])[] = [];
  const { memory, start } = await open((ask) => rounds(plan)(ask), 20);
  const outcomes: string[] = [];
  for (let run = 0; run < HARMFUL_RUNS; run++) {
    const before = await filesOf(memory);
    const topics = await memory.list();
    const some = topics.filter((_, index) => (index + run) % 7 === 0);
    const harm = run % 4;
    plan = some.map(({ slug, version, name, description, type }): readonly [string, object] => {
      if (harm === 0) return ["Topics", { command: "forget", slug, because: `Run ${run}.`, version }];
      const body =
        harm === 1 ? `Parser ${run % 20} was rewritten.` : `Parser ${"rewritten. ".repeat(harm === 3 ? 4_000 : 1)}`;
      const same = harm === 2 ? { name: `${name} again` } : { name, slug, version };
      return ["Topics", { command: "write", description: description.slice(0, 80), type, body, ...same }];
    });
    const outcome = await (await start()).done;
    outcomes.push(outcome.kind);
    // Index and files are one, within their limits.
    const head = (await memory.head()) ?? "";
    expect(head.split("\n").length).toBeLessThanOrEqual(200);
    expect(Buffer.byteLength(head)).toBeLessThanOrEqual(25 * 1_024);
    const now = new Set((await memory.list()).map(({ slug }) => slug));
    const forgotten = new Set((await memory.forgotten()).map(({ slug }) => slug));
    for (const { slug } of topics) expect(now.has(slug) || forgotten.has(slug), `${slug} in run ${run}`).toBe(true);
    if (outcome.kind !== "written" || run % 2 === 0) continue;
    expect((await memory.undo(outcome.commit)).kind).toBe("undone");
    expect(await filesOf(memory)).toEqual(before);
  }
  expect(outcomes.filter((kind) => kind === "written").length).toBeGreaterThan(HARMFUL_RUNS / 2);
});

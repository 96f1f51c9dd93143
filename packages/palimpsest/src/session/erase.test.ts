import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@palimpsest/provider-simulator";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkChain, EMPTY_LOG } from "../log/entry.ts";

import { attachment, toolResult } from "../log/messages.ts";
import type { Collector, KeepPart, Policy } from "../policy/policy.ts";
import { coding } from "../presets/coding.ts";
import { type AnthropicRequest, anthropic } from "../providers/anthropic.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import { sqliteStore } from "../stores/sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { openSession } from "./open.ts";
import { LOOK, openOffline } from "./testing/open-offline.ts";

const SECRET = "correct-horse-battery-staple";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "erase-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (store: Store) => openOffline(store, { tools: [LOOK] });
const calls = {
  role: "assistant",
  origin: "model",
  blocks: [
    { kind: "text", text: `I look for ${SECRET}.` },
    { kind: "tool_call", id: "a", name: "look", input: { at: SECRET } },
  ],
} as const;

/** Judges the request: it must be valid and must not contain the secret. */
function check(request: AnthropicRequest): string {
  const face = createAnthropic();
  const judged = face.judge(request);
  expect(judged).toMatchObject({ kind: "accepted" });
  const text = JSON.stringify(request);
  expect(text).not.toContain(SECRET);
  return text;
}

function bytesOf(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

describe.each([
  ["in memory", () => memoryStore()],
  ["in files", () => sqliteStore({ folder })],
])("an erased entry %s", (name, create) => {
  test("disappears from the log, its results, the search and the request, and the hash chain stays valid", async () => {
    const store = create();
    const session = await open(store);
    const [one, two, three] = await session.append([
      `Look for ${SECRET}.`,
      calls,
      toolResult("a", `${SECRET} `.repeat(9_000)),
    ]);
    const [four] = await session.append(attachment("note", `Mind ${SECRET}.`));
    await session.append("Thank you.");
    await session.prepare();
    expect(await session.recall({ search: SECRET })).toMatchObject({
      hits: expect.arrayContaining([expect.anything()]),
    });
    for (const entry of [one, two, three, four]) {
      expect(await session.erase(entry!)).toMatchObject({ kind: "erased", mayRepeat: [] });
      expect(await session.recall({ entry: entry! })).toEqual({ kind: "erased", entry });
    }
    const text = check(await session.prepare());
    for (const entry of [one, two, three, four]) expect(text).toContain(`[Entry ${entry} was erased.]`);
    expect(await session.recall({ search: SECRET })).toMatchObject({ hits: [] });
    const reader = (await store.openReader("s"))!;
    expect(checkChain(await reader.read(1, 99), EMPTY_LOG, sha256)).toEqual([]);
    expect((await session.messages()).messages.map(({ role, shown }) => [role, shown])).toEqual([
      ["user", "erased"],
      ["assistant", "erased"],
      ["user", "erased"],
      ["user", "whole"],
    ]);
    if (name === "in files") expect(bytesOf(folder)).not.toContain("battery");
    await session.close();
    const again = await open(store);
    expect(check(await again.prepare())).toBe(text);
    await store.close();
  });
});

test("stays erased on every branch, even after a rewind past the erasure or a restored decision", async () => {
  const session = await open(memoryStore());
  const [one, , result] = await session.append(["Look.", calls, toolResult("a", SECRET)]);
  await session.erase(one! + 1);
  const point = session.history.newestEntry;
  const cleared = await session.history.snip({ entry: result!, block: 0 }, "stale");
  await session.append("And?");
  expect(await session.erase(result!)).toMatchObject({ kind: "erased", entries: [result, cleared] });
  check(await session.prepare());
  await session.history.rewind(point);
  expect(check(await session.prepare())).toContain(`[Entry ${result} was erased.]`);
  await session.history.rewind(result!);
  expect(check(await session.prepare())).toContain(`[Entry ${result} was erased.]`);
});

test("erases a decision that quotes the entry, even if a compaction has carried it over", async () => {
  const store = memoryStore();
  const session = await open(store);
  const [one, two] = await session.append(["Hello.", "Hello again."]);
  const [, , result] = await session.append(["Look.", calls, toolResult("a", SECRET)]);
  await session.erase(result! - 1);
  const quoting = {
    role: "user",
    origin: "tool",
    blocks: [{ kind: "tool_result", callId: "a", content: `It says ${SECRET}`, status: "ok" }],
  } as const;
  const preview = await session.history.replace({ from: result!, to: result! }, [quoting], "stored: a preview");
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "They greeted." }] } as const;
  const boundary = await session.history.fold({ from: one!, to: two! }, [summary], "test");
  expect(await session.erase(result!)).toMatchObject({ entries: [result, preview], mayRepeat: [boundary] });
  expect(await session.erase(one!)).toMatchObject({ entries: [one], mayRepeat: [boundary] });
  const text = check(await session.prepare());
  expect(text).toContain(`[Entry ${result} was erased.]`);
  await session.close();
  expect(check(await (await open(store)).prepare())).toBe(text);
});

test("keeps a decision about the entry and later entries", async () => {
  const session = await open(memoryStore());
  const [one, two] = await session.append([`Look for ${SECRET}.`, "Look again."]);
  const short = { role: "user", origin: "human", blocks: [{ kind: "text", text: "Look twice." }] } as const;
  await session.history.replace({ from: one!, to: two! }, [short], "shortened");
  expect(await session.erase(one!)).toMatchObject({ entries: [one] });
  expect(check(await session.prepare())).toContain("Look twice.");
});

/** Remembers the text of every message. */
const remembering: KeepPart = {
  name: "own",
  budget: { maxTokens: 0, share: 0 },
  collect: { version: 1, empty: [], maxBytes: 100_000, add: (state, { text }) => [...(state as string[]), text] },
  plan: () => [],
  render: () => [],
};

describe("after a compaction that collected from an entry, the erased entry", () => {
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "They greeted." }] } as const;
  const preset = coding();
  const keep = [remembering, ...preset.compact.keep];
  const policy: Policy = { ...preset, compact: { ...preset.compact, summary: { kind: "none" }, keep } };
  const text = `correct_horse_battery is the name, and ${SECRET} is the word.`;

  /** What the newest boundary shows and carries. */
  async function newestBoundary(store: Store, session: string): Promise<string> {
    return (await (await store.openReader(session))!.newest("boundary"))!.payload!;
  }
  const collected = expect.stringMatching(/horse[\s\S]*horse/);

  test.each(["in place", "in a fork", "after a rewind"])("is in no part of the next compaction: %s", async (where) => {
    const store = memoryStore();
    const session = await openOffline(store, { tools: [LOOK], policy });
    const [one, , result] = await session.append(["Look at correct_horse_battery.", calls, toolResult("a", text)]);
    await session.history.fold({ from: one!, to: result! }, [summary], "test");
    expect(await newestBoundary(store, "s")).toEqual(collected);
    const [more] = await session.append("Go on.");
    const fork = where === "in a fork" ? await session.fork({ source: "test", id: "fork" }) : session;
    if (where === "in a fork") {
      const [own] = await fork.append("In the fork.");
      await fork.history.fold({ from: own!, to: own! }, [summary], "test");
    }
    for (const entry of [one!, one! + 1, result!]) expect(await session.erase(entry)).toMatchObject({ kind: "erased" });
    if (where === "after a rewind") await session.history.rewind(more!);
    const look = { kind: "tool_call", id: "b", name: "look", input: {} } as const;
    const looking = { role: "assistant", origin: "model", blocks: [look] } as const;
    await fork.append([looking, toolResult("b", "It goes on and on. ".repeat(20_000)), "Thanks."]);
    expect(await fork.compact()).toMatchObject({ kind: "compacted" });
    const boundary = await newestBoundary(store, where === "in a fork" ? "fork" : "s");
    expect(boundary.includes("Go on.")).toBe(true);
    expect(boundary.includes("horse")).toBe(false);
    expect(JSON.stringify(await fork.prepare())).not.toContain("horse");
  });

  test("costs one pass over the log: later compactions continue from what they know", async () => {
    const seen: number[] = [];
    const add: Collector["add"] = (state, { entry }) => {
      seen.push(entry);
      return state;
    };
    const counting: KeepPart = { ...remembering, collect: { ...remembering.collect!, add } };
    const counted: Policy = { ...policy, compact: { ...policy.compact, keep: [counting] } };
    const session = await openOffline(memoryStore(), { tools: [LOOK], policy: counted });
    const [one, two] = await session.append(["One.", "Two."]);
    await session.history.fold({ from: one!, to: two! }, [summary], "test");
    await session.erase(one!);
    for (const word of ["Three.", "Four."]) {
      const [entry] = await session.append(word);
      await session.history.fold({ from: entry!, to: entry! }, [summary], "test");
      seen.push(0);
    }
    expect(seen.join(" ")).toMatch(new RegExp(`^${one} ${two} ${two} \\d+ 0 \\d+ 0$`));
  });
});

test("removes a pin that was made from the entry", async () => {
  const session = await open(memoryStore());
  const [one] = await session.append([`Never forget ${SECRET}.`, "And?"]);
  const pin = await session.pins.add(one!);
  expect(await session.erase(one!)).toMatchObject({ entries: [one, pin] });
  expect(session.pins.list()).toEqual([]);
  check(await session.prepare());
});

test("erases nothing for missing entries, other kinds and the parent's entries, and succeeds twice for one entry", async () => {
  const session = await open(memoryStore());
  const [one] = await session.append("Hello.");
  await session.prepare();
  expect(await session.erase(999)).toEqual({ kind: "absent", entry: 999 });
  expect(await session.erase(1)).toMatchObject({ kind: "not-content", entryKind: "configuration" });
  const fork = await session.fork({ source: "test" });
  expect(await fork.erase(one!)).toEqual({ kind: "of-parent", entry: one });
  const [own] = await fork.append(`Only here: ${SECRET}`);
  expect(await fork.erase(own!)).toMatchObject({ kind: "erased", entries: [own] });
  check(await fork.prepare());
  expect(await session.erase(one!)).toMatchObject({ kind: "erased" });
  const { newestEntry } = session.history;
  expect(await session.erase(one!)).toMatchObject({ kind: "erased" });
  expect(session.history.newestEntry).toBe(newestEntry);
});

test("erases an entry in a fork if the parent erases it", async () => {
  const store = memoryStore();
  const session = await open(store);
  const [one] = await session.append([`Hello, ${SECRET}.`, "And?"]);
  await session.prepare();
  const fork = await session.fork({ source: "test", id: "fork" });
  await fork.append("Here, too?");
  await fork.close();
  await session.erase(one!);
  const again = await openSession({
    store,
    id: "fork",
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
  });
  expect(check(await again.prepare())).toContain(`[Entry ${one} was erased.]`);
});

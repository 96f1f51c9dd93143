import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { type AnthropicRequest, anthropic } from "../providers/anthropic.ts";
import { memoryResults, memoryStore } from "../stores/memory-store.ts";
import { sqliteStore } from "../stores/sqlite-store.ts";
import type { ResultFiles, Store } from "../stores/store.ts";

import { openSession } from "./open.ts";

const LINES = Array.from(
  { length: 9_000 },
  (_, index) => `line ${index + 1}${index === 4_321 ? " with a needle" : ""}`,
);
const LARGE = LINES.join("\n");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-results-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (store: Store, id = "s", files?: ResultFiles) =>
  openSession({
    store,
    id,
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
    settingsFrom: { environment: {} },
    ...(files === undefined ? {} : { files }),
  });

async function* output(text: string): AsyncGenerator<string> {
  yield text;
}

describe("results of a session", () => {
  test("exist in a durable store after reopening, without other options", async () => {
    const store = sqliteStore({ folder });
    const session = await open(store);
    const [entry] = await session.append(toolResult("call", output(LARGE)));
    await session.close();
    await store.close();
    const later = sqliteStore({ folder });
    const again = await open(later);
    expect(await again.recall({ entry: entry!, search: "needle" })).toMatchObject({ found: [{ line: 4_322 }] });
    expect(await again.recall({ search: "needle" })).toMatchObject({ hits: [{ sequence: entry }], unsearched: [] });
    await later.close();
  });

  test("are stored in `files` if the option is set", async () => {
    const [store, files] = [memoryStore(), memoryResults()];
    await (await open(store, "s", files)).append(toolResult("call", output(LARGE)));
    expect(await Array.fromAsync(files.sessions())).toEqual(["s"]);
    expect(await Array.fromAsync(store.results.sessions())).toEqual([]);
  });

  test.each([
    ["that is forgotten", {}, "s"],
    ["that is kept", { id: "child" }, "child"],
  ])("are available to a fork %s, together with the fork's own results", async (_, options, owner) => {
    const store = sqliteStore({ folder });
    const session = await open(store);
    const [before] = await session.append(toolResult("call", output(LARGE)));
    const fork = await session.fork({ source: "look around", ...options });
    const [own] = await fork.append(toolResult("another call", output(`of the fork\n${LARGE}`)));
    for (const entry of [before!, own!])
      expect(await fork.recall({ entry, search: "needle" }), `entry ${entry}`).toMatchObject({ kind: "lines" });
    expect(await fork.recall({ search: "needle" })).toMatchObject({ unsearched: [] });
    expect((await Array.fromAsync(store.results.sessions())).sort()).toEqual([...new Set(["s", owner])].sort());
    if (owner === "child") {
      await fork.close();
      const again = await open(store, "child");
      for (const entry of [before!, own!])
        expect(await again.recall({ entry, search: "needle" })).toMatchObject({ kind: "lines" });
    }
    await store.close();
  });

  test("show their beginning if storing fails while they arrive, and are not stored as complete", async () => {
    const kept = memoryResults();
    let creations = 0;
    const files: ResultFiles = {
      ...kept,
      // Full for the large result only.
      create: (session) => (++creations === 1 ? Promise.reject(new Error("the disk is full")) : kept.create(session)),
    };
    const session = await open(memoryStore(), "s", files);
    await session.append("Look.");
    const [entry] = await session.append(toolResult("call", output("x".repeat(300_000))));
    expect(await session.recall({ entry: entry!, search: "Cut here" })).toMatchObject({
      found: [{ text: expect.stringMatching(/300,000 bytes .* could not be stored: the disk is full/) }],
    });
    expect(await Array.fromAsync(kept.sessions())).toEqual([]);
    const { messages }: AnthropicRequest = await session.prepare();
    expect(JSON.stringify(messages).length).toBeGreaterThan(100_000);
  });
});

import { existsSync, globSync } from "node:fs";
import { glob } from "node:fs/promises";
import { resolve } from "node:path";
import { importSession, type RecordedAgent, type RecordedEntry, readTranscript } from "@palimpsest/observe";
import { createAnthropic } from "@palimpsest/provider-simulator";
import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { beforeAll, describe, expect, test } from "vitest";
import { tracesFolder } from "./traces.ts";

const folder = tracesFolder();

interface Counts {
  sessions: number;
  usages: number;
  finalUsages: number;
  /** Usages of subagents, and those copied from a parent. */
  otherUsages: number;
  freshTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  finalOutputTokens: number;
  calls: number;
  results: number;
  compactions: number;
  microcompactions: number;
  clearedCalls: number;
  damage: number;
}
const NONE: Counts = {
  sessions: 0,
  usages: 0,
  finalUsages: 0,
  otherUsages: 0,
  freshTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  finalOutputTokens: 0,
  calls: 0,
  results: 0,
  compactions: 0,
  microcompactions: 0,
  clearedCalls: 0,
  damage: 0,
};

// Counted by a script of its own, straight from the JSON: the last usage of each message id, reports with changed sums, and so on.
const EXPECTED: Partial<Record<RecordedAgent, Counts>> = {
  "claude-code": {
    ...NONE,
    sessions: 123,
    usages: 13_476,
    finalUsages: 6_566,
    otherUsages: 171,
    freshTokens: 416_816,
    cacheReadTokens: 2_097_728_275,
    cacheWriteTokens: 47_807_063,
    cacheWrite1hTokens: 34_835_500,
    finalOutputTokens: 4_516_809,
    calls: 14_416,
    results: 14_408,
    compactions: 35,
    microcompactions: 8,
    clearedCalls: 130,
  },
  codex: {
    ...NONE,
    sessions: 30,
    usages: 4_621,
    finalUsages: 4_621,
    otherUsages: 681,
    freshTokens: 34_245_748,
    cacheReadTokens: 540_704_384,
    finalOutputTokens: 1_651_439,
    calls: 7_466,
    results: 7_459,
    compactions: 23,
  },
  pi: {
    ...NONE,
    sessions: 2,
    usages: 910,
    finalUsages: 896,
    otherUsages: 471,
    freshTokens: 4_738,
    cacheReadTokens: 97_923_144,
    cacheWriteTokens: 5_981_552,
    finalOutputTokens: 270_968,
    calls: 845,
    results: 821,
    compactions: 2,
  },
};

// The figures are of one set of sessions: another folder of transcripts has others.
const isTheSet = existsSync(resolve(folder, "entireio-git-sync"));

describe.runIf(isTheSet)("155 recorded sessions", () => {
  const counts: Partial<Record<RecordedAgent, Counts>> = {};

  beforeAll(async () => {
    for await (const path of glob("*/*.jsonl.zst", { cwd: folder })) {
      let agent: RecordedAgent | undefined;
      for await (const entry of readTranscript(resolve(folder, path))) {
        if (entry.kind === "session") agent = entry.agent;
        if (agent !== undefined) {
          const own = counts[agent] ?? { ...NONE };
          counts[agent] = own;
          count(own, entry);
        }
      }
    }
  });

  test.each(Object.keys(EXPECTED) as RecordedAgent[])("of %s are read completely", (agent) => {
    expect(counts[agent]).toEqual(EXPECTED[agent]);
  });
});

describe.runIf(isTheSet)("155 recorded sessions, imported", () => {
  const paths = globSync("*/*.jsonl.zst", { cwd: folder });

  test("go on here: everything that was used is counted, and the next request is taken", async () => {
    for (const path of paths) {
      const used = { responses: 0, cacheReadTokens: 0, cacheWriteTokens: 0, freshTokens: 0 };
      async function* counted(): AsyncGenerator<RecordedEntry> {
        for await (const entry of readTranscript(resolve(folder, path))) {
          if (entry.kind === "usage" && entry.branch === "main") {
            used.responses++;
            used.cacheReadTokens += entry.cacheReadTokens;
            used.cacheWriteTokens += entry.cacheWriteTokens ?? 0;
            used.freshTokens += entry.freshTokens;
          }
          yield entry;
        }
      }
      const store = memoryStore();
      const imported = await importSession(counted(), { store, id: "s" });
      expect(imported.kind).toBe("imported");
      const session = await openSession({
        store,
        id: "s",
        provider: anthropic({} as never),
        model: "claude-opus-5-5",
        tools: [{ name: "read", inputSchema: { type: "object" } }],
        settings: { compaction: "off" },
        settingsFrom: { environment: {} },
      });
      const main = (await session.ledger.cost()).bySource["main"];
      expect({ path, ...main }).toMatchObject(used.responses === 0 ? { path } : { path, ...used });
      await session.append("Go on.");
      const verdict = createAnthropic().judge(await session.prepare());
      expect({ path, verdict: verdict.kind }).toEqual({ path, verdict: "accepted" });
      await session.close();
    }
  }, 600_000);
});

function count(counts: Counts, entry: RecordedEntry): void {
  switch (entry.kind) {
    case "session":
      counts.sessions += 1;
      break;
    case "message":
      counts.calls += entry.blocks.filter((block) => block.kind === "tool_call").length;
      counts.results += entry.blocks.filter((block) => block.kind === "tool_result").length;
      break;
    case "usage":
      counts.usages += 1;
      if (entry.branch !== "main") counts.otherUsages += 1;
      counts.freshTokens += entry.freshTokens;
      counts.cacheReadTokens += entry.cacheReadTokens;
      counts.cacheWriteTokens += entry.cacheWriteTokens ?? 0;
      counts.cacheWrite1hTokens += entry.cacheWrite1hTokens ?? 0;
      if (entry.outputCount === "provisional") break;
      counts.finalUsages += 1;
      counts.finalOutputTokens += entry.outputTokens;
      break;
    case "compaction":
      counts.compactions += 1;
      break;
    case "microcompaction":
      counts.microcompactions += 1;
      counts.clearedCalls += entry.clearedCallIds.length;
      break;
    case "damage":
      counts.damage += 1;
      break;
  }
}

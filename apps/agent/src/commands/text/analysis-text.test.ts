import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeHome } from "../../../../../test/transcripts/write-home.ts";
import { type Analyses, readAnalyses } from "../read-analyses.ts";
import { analysisText, sumText } from "./analysis-text.ts";

const SESSION = ".claude/projects/-work-sums/c1a0de00-0000-4000-8000-000000000001.jsonl";
let home: string;
let one: Analyses;
let all: Analyses;
beforeAll(async () => {
  home = writeHome(mkdtempSync(join(tmpdir(), "palimpsest-home-")));
  one = await readAnalyses(join(home, SESSION), new Map());
  all = await readAnalyses(home, new Map());
});
afterAll(() => rmSync(home, { recursive: true }));

describe("as text", () => {
  test("describes a session, from its price to its most expensive results", () => {
    const text = analysisText(one.sessions[0]!.analysis, 100);
    expect(text).toMatch(/^claude-code 2\.1\.217 session c1a0de00/);
    expect(text).toMatch(/\$0\.\d+ spent; \$0\.\d+ with a perfect cache/);
    expect(text).toMatch(
      /Context window over time, at most 21\.7K tokens \(\| marks a compaction\)\n {2}[▁-█]+\|[▁-█]+/,
    );
    expect(text).toMatch(/system prompt and tools +\$0\.\d+ +\d+% +\d/);
    expect(text).toMatch(/cache expired +1 +21\.5K +\$0\.\d+/);
    expect(text).toContain("cache expired (idle 7 min, kept for 5 min)");
    expect(text).toMatch(
      /Of 3 file reads, 1 repeated text already in context: \d+ tokens, \$0\.\d+\n +1x \/work\/sums\/add\.js/,
    );
    expect(text).toMatch(/read again within 30 rounds: 1 file, \d+ tokens/);
    expect(text).toMatch(/Compactions\n {2}2026-11-01 10:08 {2}auto, 21\.7K to 18\.9K tokens/);
  });

  test("shows each tool's price per request and its calls, if requests were recorded", () => {
    const { analysis } = one.sessions[0]!;
    expect(analysisText(analysis, 100)).not.toContain("Tool definitions");
    const tool = (index: number) => ({ name: `tool-${index}`, tokens: 2_000 - index, requests: 4, usd: 0.4, calls: 0 });
    const tools = [{ ...tool(0), calls: 3 }, ...Array.from({ length: 12 }, (_, index) => tool(index + 1))];
    const text = analysisText({ ...analysis, tools }, 80);
    expect(text).toContain("Tool definitions, in each request (12 tools never called: 23.9K tokens)");
    expect(text).toMatch(/tool +tokens +a request +all +calls\n +tool-0 +2K +\$0\.10+ +\$0\.40+ +3\n/);
    expect(text).toMatch(/1 more +1\.99K +\$0\.10+ +\$0\.40+ +0\n/);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("keeps tables within any width, and contains only text", () => {
    for (const columns of [60, 80, 120]) {
      for (const { analysis } of all.sessions) {
        const lines = analysisText(analysis, columns).split("\n");
        const tooLong = lines.slice(3).filter((line) => line.length > Math.max(columns, 76));
        expect(tooLong).toEqual([]);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters.
        expect(lines.join("")).not.toMatch(/[\u0000-\u0008\u001b]/);
      }
    }
  });

  test("sums up many sessions, the most expensive first", () => {
    const text = sumText(all.sum, all.sessions, 200);
    expect(text).toMatch(/^15 sessions, 33 responses/);
    expect(text).toMatch(/spent +lost +responses +compactions +session\n +\$0\.\d+ .*claude/);
  });

  test("shows tokens instead of prices, unless the user gives prices", async () => {
    const path = join(home, ".qwen/projects/-work-sums/chats/7e11ab1e.jsonl");
    const unpriced = await readAnalyses(path, new Map());
    expect(analysisText(unpriced.sessions[0]!.analysis, 100)).toContain("2 responses of models without a known price");
    const prices = { input: 1, output: 2, cacheRead: 0.1, cacheWrite5m: 1, cacheWrite1h: 1 };
    const priced = await readAnalyses(path, new Map([["qwen3-coder-plus", prices]]));
    expect(priced.sum.totals.usd).toBeCloseTo((9_000 + 200 + 800 + 200) / 1e6, 6);
  });
});

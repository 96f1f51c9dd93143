import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { sampleTranscript } from "../../../packages/observe/src/replay/testing/sample-transcript.ts";
import { economicsExperiment } from "./economics.ts";
import { sampled } from "./sessions.ts";

test("names a session that cannot be replayed, measures the others, and keeps their results", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-economics-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.stubEnv("PALIMPSEST_TRACES", join(folder, "traces"));
  vi.stubEnv("PALIMPSEST_ECONOMICS", join(folder, "results"));
  mkdirSync(join(folder, "traces", "some"), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, "traces", "some", name), text);
  write("good.jsonl", sampleTranscript({ rounds: 12, lines: 20, signatureCharacters: 1_000 }));
  write("bad.jsonl", "no transcript\n");
  const rows = join(folder, "rows.jsonl");
  const run = () => economicsExperiment.run({ size: "full", only: "profiles balanced", rows });
  const figures = await run();
  expect(figures).toMatchObject({
    sessions: 1,
    failed_sessions: [{ name: "some/bad.jsonl", reason: expect.stringContaining("Error") }],
    model: "claude-sonnet-5-5",
    condition: "200K/0.1/5m",
    thinking_blocks_sent: 11,
    profiles: { balanced: { strict_needs_pct: 100, needs_lost: 0, compactions: 0, waiting_s_per_message: 0 } },
    others: { append_only: { cost_ratio: 1 } },
  });
  const lines = readFileSync(rows, "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).policy)).toContain("balanced");
  const kept = globSync("**/*.json", { cwd: join(folder, "results") });
  expect(kept.length).toBeGreaterThan(0);
  expect(await run()).toEqual(figures);
  expect(globSync("**/*.json", { cwd: join(folder, "results") })).toEqual(kept);
});

test("a sample is spread over all sizes", () => {
  const names = Array.from({ length: 155 }, (_, index) => String(index));
  expect(sampled(names, 3)).toEqual(["25", "77", "129"]);
  expect(sampled(names, 200)).toEqual(names);
});

import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { sampleTranscript } from "../../../packages/observe/src/replay/testing/sample-transcript.ts";
import { measureSessions } from "./measure-sessions.ts";
import type { EconomicsPlan } from "./plan-jobs.ts";

const PLAN: EconomicsPlan = {
  conditions: ["200K/0.1/5m"],
  policies: ["balanced"],
  parts: [],
  rules: ["append-only", "plain-167k"],
  libraries: [],
  foresight: "left-out",
};

test("a session that cannot be replayed is named and ends nothing; what is done is not done again", async () => {
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
  write("good.jsonl", sampleTranscript({ rounds: 12, lines: 20 }));
  write("bad.jsonl", "no transcript\n");
  const names = ["some/good.jsonl", "some/bad.jsonl"];
  const { failed, reports } = await measureSessions(names, PLAN);
  expect(failed).toMatchObject([{ name: "some/bad.jsonl", reason: expect.stringContaining("Error") }]);
  expect(reports).toMatchObject([{ name: "some/good.jsonl", repository: "some", agent: "claude-code", rounds: 12 }]);
  const { balanced, "append-only": baseline } = reports[0]!.scores["200K/0.1/5m"]!;
  expect(balanced!.price / baseline!.price).toBeCloseTo(1, 1);
  expect(balanced!.strict).toBe(balanced!.needs);
  const kept = globSync("**/*.json", { cwd: join(folder, "results") });
  expect(kept).toHaveLength(4);
  // Without the transcript's content nothing could be replayed, so this comes from what is kept.
  write("bad.jsonl", "");
  expect((await measureSessions(["some/good.jsonl"], PLAN)).reports).toEqual(reports);
  expect(globSync("**/*.json", { cwd: join(folder, "results") })).toEqual(kept);
});

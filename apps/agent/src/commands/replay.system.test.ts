import { expect, test } from "vitest";
import { sampleTranscript } from "../../../../packages/observe/src/replay/testing/sample-transcript.ts";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("replays a recorded session under each named policy", async () => {
  const project = temporaryProject({ "session.jsonl": sampleTranscript({ rounds: 30 }) });
  const cli = await startCli(project, () => {
    throw new Error("Nothing is asked of a provider.");
  });
  const args = [
    "replay",
    "session.jsonl",
    "--policy",
    "append-only",
    "--policy",
    "balanced",
    "--model",
    "claude-sonnet-4-6",
  ];
  const { code, out } = await cli.run([...args, "--json"]);
  expect(code).toBe(0);
  const { policies, rounds, model } = JSON.parse(out);
  expect({ rounds, model }).toEqual({ rounds: 30, model: "claude-sonnet-4-6" });
  expect(Object.keys(policies)).toEqual(["append-only", "balanced"]);
  expect(policies["append-only"]).toMatchObject({ compactions: 0, needsMetPercent: 100 });
  expect(policies.balanced.priceUsd).toBeGreaterThan(0);
  expect((await cli.run(args)).out).toMatch(/policy +price +relative[\s\S]*append-only +\$\d[\s\S]*balanced +\$\d/);
  expect(cli.server.recorder.exchanges).toEqual([]);
});

test("names the known policies if one is unknown", async () => {
  const project = temporaryProject({ "session.jsonl": sampleTranscript({ rounds: 3 }), "notes.jsonl": "{}\n" });
  const cli = await startCli(project, () => ({ words: [] }));
  const said = async (...args: string[]) => (await cli.run(["replay", ...args])).said;
  const [none, unknown, other] = await Promise.all([
    said(),
    said("session.jsonl", "--policy", "balancd"),
    said("notes.jsonl"),
  ]);
  expect(none).toMatch(/The recording is missing[\s\S]*plain-167k/);
  expect(unknown).toContain("Did you mean balanced?");
  expect(other).toContain("claude-code");
});

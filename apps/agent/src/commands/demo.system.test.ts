import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("the demo shows every layer, without a key, within a minute, and leaves nothing behind", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer("nobody asks this one"));
  const startedAtMs = performance.now();
  const { code, out } = await cli.run(["demo"], { environment: { ANTHROPIC_API_KEY: "" } });
  expect(performance.now() - startedAtMs).toBeLessThan(60_000);
  expect(code).toBe(0);
  for (const shown of [
    /Stored a tool result of Bash \(\d+ KB\)/,
    /Cleared \d+ old tool results/,
    /notes updated/,
    /summary by the model, 1 model calls/,
    /model: The log said E4711/,
    /after the undo: [\d,]+ tokens/,
    /tool results: Read/,
    /session notes +\d /,
  ]) {
    expect(out).toMatch(shown);
  }
  expect(cli.server.recorder.exchanges).toEqual([]);
}, 70_000);

import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

/** Makes a Node program print the processor time that it has used. */
const PRINT_USED = `
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    process.stderr.write(\`processor-ms:\${Math.round((user + system) / 1_000)}\\n\`);
  });`;

test("the demo shows every layer without a key, in limited processor time, and leaves no files", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer("nobody asks this one"));
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PRINT_USED)}`;
  const { code, out, said } = await cli.run(["demo"], { environment: { ANTHROPIC_API_KEY: "", NODE_OPTIONS } });
  const usedMs = Array.from(said.matchAll(/processor-ms:(\d+)/g), ([, ms]) => Number(ms));
  expect(usedMs.length).toBeGreaterThan(0);
  expect(Math.max(...usedMs)).toBeLessThan(30_000);
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
});

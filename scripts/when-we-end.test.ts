import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

/** A gate of one step, whose program starts another program: a shell and its `sleep`, with their numbers in files. */
const GATE = `
  import { writeFileSync } from "node:fs";
  import { join } from "node:path";
  import { runStepBeside } from "${new URL("run-step.ts", import.meta.url)}";
  import { removeWhenWeEnd } from "${new URL("when-we-end.ts", import.meta.url)}";
  const [folder, seconds] = process.argv.slice(1);
  removeWhenWeEnd(folder);
  const step = runStepBeside("a step", "sh", ["-c", 'sleep "$2" & echo $! > "$1/child"; mv "$1/child" "$1/started"; wait', "sh", folder, seconds]);
  await step;
`;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};

test.each(["SIGTERM", "SIGINT", "SIGKILL"] as const)(
  "a gate that ends by %s takes the programs of its steps and its folder with it",
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-when-we-end-"));
    const gate = spawn(process.execPath, ["--input-type=module", "-e", GATE, folder, "1000"], { stdio: "ignore" });
    const started = join(folder, "started");
    await expect.poll(() => existsSync(started)).toBe(true);
    const program = Number(readFileSync(started, "utf8"));
    expect(isRunning(program)).toBe(true);
    gate.kill(signal);
    await expect.poll(() => [isRunning(program), existsSync(folder)]).toEqual([false, false]);
  },
);

test("a gate that ends by itself leaves no folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-when-we-end-"));
  const gate = spawn(process.execPath, ["--input-type=module", "-e", GATE, folder, "0"], { stdio: "ignore" });
  expect(await once(gate, "close")).toEqual([0, null]);
  await expect.poll(() => existsSync(folder)).toBe(false);
});

import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readLastOutput } from "./start-command.ts";

/** Nothing of this process runs meanwhile, as on a machine that has too much to do. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("what is in the pipe is read, even if this process got no turn for longer than it waits", async () => {
  const child = spawn("sh", ["-c", "read line; echo late; exec sleep 60"], { stdio: ["pipe", "pipe", "ignore"] });
  const merged = new PassThrough();
  let heard = "";
  merged.on("data", (chunk: Buffer) => {
    heard += chunk.toString();
  });
  child.stdout.pipe(merged, { end: false });
  const read = readLastOutput([child.stdout], merged);
  child.stdin.write("go\n");
  stall(2_000);
  await read;
  child.kill("SIGKILL");
  expect(heard).toBe("late\n");
});

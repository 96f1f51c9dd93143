/**
 * A process that changes a memory and dies by its own hand before its n-th step on the disk: a file named, linked, removed or
 * synced, a transaction ended. Tells what was acknowledged before. Ends by itself where it has fewer steps.
 *
 * Arguments: folder, n.
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";

const [folder = "", point = "0"] = process.argv.slice(2);
let steps = 0;

function step(): void {
  if (++steps === Number(point)) process.kill(process.pid, "SIGKILL");
}

/** As before, with a step ahead. */
function countSteps(owner: Record<string, unknown>, name: string): void {
  const original = owner[name] as (...args: unknown[]) => unknown;
  owner[name] = function (this: unknown, ...args: unknown[]): unknown {
    step();
    return original.apply(this, args);
  };
}

for (const name of ["renameSync", "linkSync", "rmSync", "mkdirSync", "fsyncSync"]) {
  countSteps(fs as unknown as Record<string, unknown>, name);
}
const openFile = promises.open;
promises.open = async (...args) => {
  step();
  const file = await openFile(...args);
  countSteps(file as unknown as Record<string, unknown>, "write");
  countSteps(file as unknown as Record<string, unknown>, "sync");
  return file;
};
countSteps(DatabaseSync.prototype as unknown as Record<string, unknown>, "exec");
syncBuiltinESMExports();

const { change } = await import("./change-memory.ts");
await change(folder, (name) => fs.writeSync(1, `${name}\n`));

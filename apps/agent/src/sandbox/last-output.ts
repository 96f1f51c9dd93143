import type { PassThrough, Readable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";

/** What was written and not read when a command ended comes within this time, or is held by who runs on. */
const LAST_OUTPUT_MS = 100;

/** Resolves when the pipes are at their end, or when nothing comes any more although there is somebody to read it. */
export async function readLastOutput(pipes: readonly Readable[], merged: PassThrough): Promise<void> {
  let coming: boolean;
  for (const pipe of pipes) {
    pipe.on("data", () => {
      coming = true;
    });
  }
  const allEnded = Promise.all(pipes.map(endOf)).then(() => "ended" as const);
  do {
    coming = false;
    // Timers come before pipes in a turn of the event loop: what came while this process got no turn is read only after the timer.
    const passed = setTimeout(LAST_OUTPUT_MS).then(() => setImmediate());
    if ((await Promise.race([allEnded, passed])) === "ended") return;
  } while (coming || merged.writableNeedDrain);
}

function endOf(pipe: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (pipe.readableEnded || pipe.destroyed) resolve();
    else pipe.once("close", resolve);
  });
}

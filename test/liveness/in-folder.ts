import { randomInt } from "node:crypto";
import { mkdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs with a folder that is gone afterwards. */
export async function inFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  // Letters only: the path is part of prompts, and how many tokens it has depends on its characters.
  const letters = Array.from({ length: 8 }, () => String.fromCharCode(97 + randomInt(26))).join("");
  const folder = join(await realpath(tmpdir()), `palimpsest-liveness-${letters}`);
  await mkdir(folder, { mode: 0o700 });
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

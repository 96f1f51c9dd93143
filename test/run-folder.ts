import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeWhenWeEnd } from "../scripts/when-we-end.ts";

/**
 * Prepares what the tests of one run share. The seed of random cases is derived from the committed sources, so a run can be repeated on
 * any machine, and a change of the sources brings other cases. The folder holds compiled code of programs and an empty database to
 * copy. It is removed when the run has ended, however it ends.
 */
export function setup(): void {
  process.env["PALIMPSEST_SEED"] ??= String(seedOf("packages", "apps"));
  if (process.env["PALIMPSEST_RUN_FOLDER"] !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-run-"));
  removeWhenWeEnd(folder);
  process.env["PALIMPSEST_RUN_FOLDER"] = folder;
  process.env["NODE_COMPILE_CACHE"] ??= join(folder, "compiled");
}

function seedOf(...folders: readonly string[]): number {
  const trees = execFileSync("git", ["rev-parse", ...folders.map((folder) => `HEAD:${folder}`)]);
  return createHash("sha256").update(trees).digest().readInt32BE();
}

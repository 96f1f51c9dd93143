import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeWhenWeEnd } from "../scripts/when-we-end.ts";

/**
 * A folder for what the tests of one run share: the code of programs as compiled, an empty database to copy. The gate brings one for
 * all its steps; here it is made, and removed when the run has ended, however it ends.
 */
export function setup(): void {
  if (process.env["PALIMPSEST_RUN_FOLDER"] !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-run-"));
  removeWhenWeEnd(folder);
  process.env["PALIMPSEST_RUN_FOLDER"] = folder;
  process.env["NODE_COMPILE_CACHE"] ??= join(folder, "compiled");
}

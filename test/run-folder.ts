import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A folder for what the tests of one run share: the code of programs as compiled, an empty database to copy. The gate brings one for
 * all its steps; here it is made, and gone with the run.
 */
export function setup(): (() => void) | undefined {
  if (process.env["PALIMPSEST_RUN_FOLDER"] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-run-"));
  process.env["PALIMPSEST_RUN_FOLDER"] = folder;
  process.env["NODE_COMPILE_CACHE"] ??= join(folder, "compiled");
  return () => rmSync(folder, { recursive: true, force: true });
}

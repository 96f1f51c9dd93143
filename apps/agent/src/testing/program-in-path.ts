import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TemporaryProject } from "./temporary-project.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** An environment whose PATH contains the program under its name. */
export function programInPath({ base, home }: TemporaryProject): { readonly PATH: string; readonly HOME: string } {
  const bin = join(base, "bin");
  mkdirSync(bin, { recursive: true });
  const start = `exec '${process.execPath}' --conditions=palimpsest-source --no-warnings '${MAIN}' "$@"`;
  writeFileSync(join(bin, "palimpsest"), `#!/bin/sh\n${start}\n`);
  chmodSync(join(bin, "palimpsest"), 0o755);
  return { PATH: `${bin}:${process.env["PATH"]}`, HOME: home };
}

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_PROGRAM, COMPILED } from "./agent-program.ts";
import type { TemporaryProject } from "./temporary-project.ts";

/** An environment whose PATH contains the program under its name. */
export function programInPath({ base, home }: TemporaryProject): { readonly PATH: string; readonly HOME: string } {
  const bin = join(base, "bin");
  mkdirSync(bin, { recursive: true });
  const words = AGENT_PROGRAM.map((word) => `'${word}'`).join(" ");
  const variables = Object.entries(COMPILED).map(([name, value]) => `${name}='${value ?? ""}'`);
  writeFileSync(join(bin, "palimpsest"), `#!/bin/sh\n${variables.join(" ")} exec ${words} "$@"\n`);
  chmodSync(join(bin, "palimpsest"), 0o755);
  return { PATH: `${bin}:${process.env["PATH"]}`, HOME: home };
}

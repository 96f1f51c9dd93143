import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { TemporaryProject } from "./temporary-project.ts";

/** The programs that tests run. No sandbox is among them, since a sandbox changes the prompt and so every price. */
const PROGRAMS = ["bash", "sh", "env", "cat", "echo", "git", "ls", "seq", "sleep"];

/** A PATH that is the same on every machine. */
export function barePath({ base }: TemporaryProject): string {
  const bin = join(base, "bare-bin");
  mkdirSync(bin);
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  for (const program of PROGRAMS) {
    const found = folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(bin, program));
  }
  return bin;
}

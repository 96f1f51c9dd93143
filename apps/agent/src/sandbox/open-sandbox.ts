import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createEncloser, type Encloser, type EncloserOptions } from "./create-encloser.ts";
import { findProgram } from "./find-program.ts";
import type { SandboxPolicy } from "./policy.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** What encloses programs, or why nothing does. */
export type Sandbox =
  | ({ readonly kind: "bubblewrap"; readonly policy: SandboxPolicy } & Encloser)
  | { readonly kind: "none"; readonly reason: string };

/** Whether namespaces and mounts are to be had at all. */
const PROBE = [
  ...["--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-net", "--cap-drop", "ALL"],
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--"],
];

/** Tries the sandbox, since one that is installed may not work: containers often forbid what it needs. */
export async function openSandbox(options: EncloserOptions): Promise<Sandbox> {
  const { policy, path } = options;
  if (process.platform !== "linux") return { kind: "none", reason: `there is none for ${process.platform} yet.` };
  const bwrap = findProgram("bwrap", path, policy.roots);
  if (bwrap === undefined)
    return { kind: "none", reason: "bubblewrap (bwrap) is not installed (apt-get install bubblewrap)." };
  const filter = seccompFilter(process.arch);
  if (filter === undefined) return { kind: "none", reason: `it does not know the processor ${process.arch}.` };
  const encloser = createEncloser(options, { bwrap, filter });
  try {
    await promisify(execFile)(bwrap, [...PROBE, "/bin/sh", "-c", ":"], { timeout: 20_000, env: {} });
    return { kind: "bubblewrap", policy, ...encloser };
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    return { kind: "none", reason: `bubblewrap (bwrap) does not work here. It says: ${said}` };
  }
}

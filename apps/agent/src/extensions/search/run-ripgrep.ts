import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { rgPath } from "@vscode/ripgrep";
import { sanitize } from "palimpsest/sanitize";

export interface RipgrepOptions {
  readonly args: readonly string[];
  readonly folder: string;
  /** The command that sandboxes the search. @default none */
  readonly startedBy?: readonly string[];
  readonly signal: AbortSignal;
  /** Lines after these are not read. */
  readonly mostLines: number;
  /** The limit of all lines together; a longer output is cut. */
  readonly mostCharacters: number;
}

export type RipgrepResult =
  | { readonly kind: "found"; readonly lines: readonly string[]; readonly rest: "cut" | "complete" }
  /** An invalid pattern, or a folder that cannot be read. */
  | { readonly kind: "failed"; readonly message: string };

/** A longer search goes through folders that should not be searched. */
const TIMEOUT_MS = 20_000;
const NOTHING_FOUND = 1;

/**
 * Runs ripgrep and reads a limited number of lines. The pattern runs in ripgrep, whose engine needs linear time, so no pattern
 * can block this process. The user's ripgrep settings are ignored.
 */
export async function runRipgrep({
  args,
  folder,
  startedBy = [],
  signal,
  mostLines,
  mostCharacters,
}: RipgrepOptions): Promise<RipgrepResult> {
  const [program, ...line] = [...startedBy, rgPath, "--no-config", "--color", "never", ...args];
  const child = spawn(program!, line, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const onStop = () => child.kill("SIGKILL");
  stop.addEventListener("abort", onStop, { once: true });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  exit.catch(() => undefined);
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(0, 2_000);
  });
  const lines: string[] = [];
  let characters = 0;
  let rest: "cut" | "complete" = "complete";
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.length >= mostLines || characters >= mostCharacters) {
      rest = "cut";
      child.kill("SIGKILL");
      break;
    }
    lines.push(sanitize(line));
    characters += line.length;
  }
  const code = await exit.finally(() => stop.removeEventListener("abort", onStop));
  signal.throwIfAborted();
  if (stop.aborted)
    return { kind: "failed", message: `The search took more than ${TIMEOUT_MS / 1_000} s. Search in fewer files.` };
  // ripgrep also reports an error if a single file could not be read; its matches are still valid.
  if (code !== 0 && code !== null && code !== NOTHING_FOUND && lines.length === 0) {
    return { kind: "failed", message: errors.trim() || `ripgrep ended with exit code ${code}.` };
  }
  return { kind: "found", lines, rest };
}

// Runs ripgrep in a sandbox, with limited output.
import { execFile, spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import { sanitize } from "palimpsest/sanitize";
import { type PathBase, placePattern } from "../../permissions/glob.ts";
import { findProgram } from "../../sandbox/find-program.ts";

/** The command that sandboxes a search. Empty without bubblewrap. */
export type SearchEnclosure = () => Promise<readonly string[]>;

/**
 * Sandboxes searches, so that they see only the given folders. Otherwise a folder that is replaced by a link during the
 * search would lead ripgrep to other places (the race in `chaos security` found this within seconds). The first search
 * tests the sandbox, so that no session waits for it at the start.
 */
export function encloseSearch(roots: readonly string[], path: string | undefined): SearchEnclosure {
  let tried: Promise<readonly string[]> | undefined;
  return () => {
    tried ??= tryEnclosure(roots, path);
    return tried;
  };
}

/** A search without a sandbox. */
export const unenclosed: SearchEnclosure = async () => [];

async function tryEnclosure(roots: readonly string[], path: string | undefined): Promise<readonly string[]> {
  const bwrap = findProgram("bwrap", path, roots);
  if (bwrap === undefined) return [];
  const line = [
    ...[bwrap, "--die-with-parent", "--new-session", "--unshare-all", "--cap-drop", "ALL"],
    // Ripgrep inspects its own executable there before it sorts by time.
    ...["--proc", "/proc"],
    ...[rgPath, ...roots].flatMap((path) => ["--ro-bind", path, path]),
    "--",
  ];
  // The test has the same options as a search, except for its result. If the test fails, searches would fail.
  const [program, ...args] = [
    ...line,
    rgPath,
    "--no-config",
    "--files",
    "--max-depth",
    "0",
    "--sortr",
    "modified",
    roots[0]!,
  ];
  return promisify(execFile)(program!, args, { timeout: 10_000 }).then(
    () => line,
    // Exit code 1 means that nothing was found, so the sandbox works.
    (error: { readonly code?: unknown }) => (error.code === 1 ? line : []),
  );
}

/** The ripgrep arguments that skip hidden files below a root, and the `.git` folder. */
export function hidingGlobs(hidden: readonly string[], base: PathBase): readonly string[] {
  const placed = hidden.map((pattern) => placePattern(pattern, base)).filter((pattern) => !isAbsolute(pattern));
  return [".git", ...placed].flatMap((pattern) => ["--glob", `!${toRipgrep(pattern)}`]);
}

/**
 * Escapes a pattern for ripgrep. In our patterns only stars are special, but ripgrep also has brackets, braces and
 * question marks.
 */
function toRipgrep(placed: string): string {
  if (placed === "./") return "*";
  const anchored = placed.replace(/^\.\//, "/").replaceAll(/[?[\]{}\\!]/g, "\\$&");
  // In ripgrep, "**" matches across folders only as a complete path segment.
  return anchored.replaceAll(/(?<=[^/*])\*{2,}|\*{2,}(?=[^/*])/g, "{*,*/**/*}");
}

interface RipgrepOptions {
  readonly args: readonly string[];
  readonly folder: string;
  /** The command that sandboxes the search. @default no sandbox */
  readonly startedBy?: readonly string[];
  readonly signal: AbortSignal;
  /** The maximum number of lines to read. */
  readonly mostLines: number;
  /** The limit of all lines together. Longer output is cut. */
  readonly mostCharacters: number;
}

type RipgrepResult =
  | { readonly kind: "found"; readonly lines: readonly string[]; readonly rest: "cut" | "complete" }
  /** An invalid pattern, or a folder that cannot be read. */
  | { readonly kind: "failed"; readonly message: string };

/** The time limit. A longer search goes through folders that should not be searched. */
const TIMEOUT_MS = 20_000;
const NOTHING_FOUND = 1;

/**
 * Runs ripgrep and reads a limited number of lines. Patterns run in ripgrep, whose engine needs linear time, so no
 * pattern can block this process. Ignores the user's ripgrep settings.
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
  // ripgrep also reports an error if one file cannot be read. Its matches are still valid.
  if (code !== 0 && code !== null && code !== NOTHING_FOUND && lines.length === 0) {
    return { kind: "failed", message: errors.trim() || `ripgrep ended with exit code ${code}.` };
  }
  return { kind: "found", lines, rest };
}

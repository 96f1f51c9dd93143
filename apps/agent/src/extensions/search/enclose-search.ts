import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import { findProgram } from "../../sandbox/find-program.ts";

/** The command that sandboxes a search; empty without bubblewrap. */
export type SearchEnclosure = () => Promise<readonly string[]>;

/**
 * Sandboxes searches, so that they see only the given folders. Otherwise a folder that is replaced by a link during the
 * search would lead ripgrep to other places (the race in `chaos security` found this within seconds). It is tried at the
 * first search: no session waits for it at its start.
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
    // Ripgrep looks at its own file there before it sorts by time.
    ...["--proc", "/proc"],
    ...[rgPath, ...roots].flatMap((path) => ["--ro-bind", path, path]),
    "--",
  ];
  // As searches are, but for what they find: where this fails, they would.
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
    // Nothing was found: it works.
    (error: { readonly code?: unknown }) => (error.code === 1 ? line : []),
  );
}

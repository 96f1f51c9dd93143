import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { rgPath } from "@vscode/ripgrep";

/**
 * What a search is started by so that it sees nothing but the given folders, links followed. A folder that is exchanged for a link
 * while ripgrep walks would lead it anywhere else (the race in `chaos security` found it to happen within seconds). Empty where there is no bubblewrap.
 */
export async function encloseSearch(roots: readonly string[]): Promise<readonly string[]> {
  const line = [
    ...["bwrap", "--die-with-parent", "--new-session", "--unshare-all", "--cap-drop", "ALL"],
    ...[rgPath, ...roots].flatMap((path) => ["--ro-bind", path, path]),
    "--",
  ];
  const [program, ...args] = [...line, rgPath, "--version"];
  return promisify(execFile)(program!, args, { timeout: 10_000 }).then(
    () => line,
    () => [],
  );
}

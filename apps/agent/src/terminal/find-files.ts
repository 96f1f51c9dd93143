import { runRipgrep } from "../extensions/search/run-ripgrep.ts";

/** Files of a project that its own rules do not ignore, for completion. */
export async function findFiles(folder: string): Promise<readonly string[]> {
  const found = await runRipgrep({
    args: ["--files", "--sort", "path"],
    folder,
    mostLines: 20_000,
    mostCharacters: 2_000_000,
    signal: new AbortController().signal,
  });
  return found.kind === "found" ? found.lines.map((line) => line.replace(/^\.\//, "")) : [];
}

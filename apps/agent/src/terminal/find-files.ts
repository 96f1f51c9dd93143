import { runRipgrep } from "../extensions/search/run-ripgrep.ts";

/** Lists the files of a project that its ignore rules allow, for completion. */
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

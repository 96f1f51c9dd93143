import { refusalOf } from "../files/file-states.ts";
import type { PathGuard } from "../files/path-guard.ts";
import { runRipgrep } from "../search/run-ripgrep.ts";
import { optional, text } from "./input.ts";
import { type AgentTool, defineTool, done, failed } from "./tool.ts";

export interface SearchPorts {
  readonly guard: PathGuard;
  /** Patterns of files that may not be read, and so not be found either. @default none */
  readonly hidden?: readonly string[];
}

const MOST_FILES = 500;
const MOST_CHARACTERS = 60_000;

/** Finds files by their names, the newest first. */
export function globTool({ guard, hidden = [] }: SearchPorts): AgentTool {
  return defineTool({
    name: "Glob",
    description: `Finds files of the project by a pattern, the newest first, ${MOST_FILES} at most. Files that git ignores are passed over.`,
    input: {
      pattern: text('Such as "**/*.ts" or "src/*/index.*".'),
      path: optional(text("Folder to look in. Default: the project.")),
    },
    concurrency: "safe",
    effect: "read",
    results: "clearable",
    async run({ pattern, path = "." }, { signal }) {
      const located = await guard.locate(path);
      if (located.kind !== "inside") return failed(refusalOf(located, guard.roots));
      const hiding = [".git", ...hidden].flatMap((pattern) => ["--glob", `!${pattern}`]);
      const args = ["--files", "--hidden", "--sortr", "modified", "--glob", pattern, ...hiding, "--", "."];
      const result = await runRipgrep({
        args,
        folder: located.path,
        signal,
        mostLines: MOST_FILES,
        mostCharacters: MOST_CHARACTERS,
      });
      if (result.kind === "failed") return failed(result.message);
      if (result.lines.length === 0) return done("No file has such a name.");
      const from = located.path === located.root ? "" : `${located.path.slice(located.root.length + 1)}/`;
      const lines = result.lines.map((line) => from + line.replace(/^\.\//, ""));
      return done([...lines, ...(result.rest === "cut" ? ["[There are more. Narrow the pattern.]"] : [])].join("\n"));
    },
  });
}

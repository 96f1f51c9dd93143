// Finds files by name.
import { join, relative } from "node:path";
import { object, optional, text } from "palimpsest/schema";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import { fitsPath, placePattern } from "../../permissions/glob.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";
import { refusalOf } from "../files/file-states.ts";
import type { OpenStoredResult } from "../files/stored-results.ts";
import { hidingGlobs, runRipgrep, type SearchEnclosure, unenclosed } from "./enclose-search.ts";

export interface SearchPorts {
  readonly guard: PathGuard;
  /** Patterns (placed) of files that must not be read and are not listed. @default none */
  readonly hidden?: readonly string[];
  /** The command that sandboxes a search. @default no sandbox */
  readonly startedBy?: SearchEnclosure;
  /** Opens stored results. @default none */
  readonly openResult?: OpenStoredResult;
}

const MAX_FILES = 500;
const MAX_CHARACTERS = 60_000;

/** Finds files by name, newest first. */
export function globTool({ guard, hidden = [], startedBy = unenclosed }: SearchPorts): AgentTool {
  return agentTool({
    name: "Glob",
    description: `Finds files of the project by a pattern, the newest first, ${MAX_FILES} at most. Files that git ignores are passed over.`,
    inputSchema: object({
      pattern: text('Such as "**/*.ts" or "src/*/index.*".'),
      path: optional(text("Folder to look in. Default: the project.")),
    }),
    concurrency: "safe",
    effect: "read",
    results: "clearable",
    touches: async ({ pattern, path = "." }) => [join(path, folderOf(pattern))],
    async execute({ pattern, path = "." }, { signal }) {
      const located = await guard.locate(path);
      if (located.kind !== "inside") return failed(refusalOf(located, guard.roots));
      const { path: at, root } = located;
      if (isHidden(at, root, hidden)) return failed(`A rule forbids to read ${path}.`);
      // Starts at the root, so that hidden patterns have the same meaning for every search.
      const below = at === root ? "" : `${relative(root, at).replaceAll(/[*?[\]{}\\]/g, "\\$&")}/`;
      const wanted = pattern.includes("/") ? below + pattern : pattern;
      const hiding = hidingGlobs(hidden, { folder: root, home: root });
      const args = ["--files", "--hidden", "--sortr", "modified", "--glob", wanted, ...hiding, "--", at];
      const limits = { mostLines: MAX_FILES, mostCharacters: MAX_CHARACTERS };
      const result = await runRipgrep({ args, folder: root, startedBy: await startedBy(), signal, ...limits });
      if (result.kind === "failed") return failed(result.message);
      if (result.lines.length === 0) return done("No file has such a name.");
      const lines = result.lines.map((line) => relative(root, line));
      return done([...lines, ...(result.rest === "cut" ? ["[There are more. Narrow the pattern.]"] : [])].join("\n"));
    },
  });
}

/** The folder that all matches of a pattern lie in: the parts before the first wildcard. "." if the pattern has none. */
function folderOf(pattern: string): string {
  const folders = pattern.split("/").slice(0, -1);
  const wild = folders.findIndex((folder) => /[*?[\]{}\\]/.test(folder));
  return folders.slice(0, wild < 0 ? undefined : wild).join("/") || ".";
}

/** Whether the start of a search is hidden. ripgrep applies patterns only to files that it finds itself. */
export function isHidden(path: string, root: string, hidden: readonly string[]): boolean {
  const base = { folder: root, home: root };
  return hidden.some((pattern) => fitsPath(placePattern(pattern, base), relative(root, path)));
}

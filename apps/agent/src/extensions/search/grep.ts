import { stat } from "node:fs/promises";
import { choice, flag, integer, object, optional, text } from "palimpsest/schema";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import { refusalOf } from "../files/file-states.ts";
import { hidingGlobs, runRipgrep, unenclosed } from "./enclose-search.ts";
import { isHidden, type SearchPorts } from "./glob.ts";

const DEFAULT_LINES = 250;
const MAX_CHARACTERS = 60_000;
const LINE_CHARACTERS = 500;

/** Searches the contents of files with ripgrep. */
export function grepTool({ guard, hidden = [], startedBy = unenclosed, openResult }: SearchPorts): AgentTool {
  return agentTool({
    name: "Grep",
    description:
      "Searches the files of the project for a regular expression (ripgrep). Files that git ignores are passed over. Shows the files " +
      "that match, or with output_mode the lines or how many there are.",
    inputSchema: object({
      pattern: text("Regular expression, in ripgrep's syntax."),
      path: optional(text("File or folder to search in. Default: the project.")),
      glob: optional(text('Which files, such as "*.ts" or "src/**/*.test.ts".')),
      output_mode: optional(choice(["files", "lines", "count"], 'Default "files".')),
      context: optional(integer("With lines: how many to show before and after each.", { minimum: 0 })),
      ignore_case: optional(flag("Default false.")),
      multiline: optional(flag("The pattern may span lines. Default false.")),
      limit: optional(integer(`How many lines of the answer at most. Default ${DEFAULT_LINES}.`, { minimum: 1 })),
    }),
    concurrency: "safe",
    effect: "read",
    results: "clearable",
    touches: async ({ path = "." }) => [path],
    async execute(
      { pattern, path = ".", glob, output_mode = "files", context, ignore_case, multiline, limit = DEFAULT_LINES },
      { signal },
    ) {
      const located = await guard.locate(path);
      if (located.kind !== "inside") {
        if ((await openResult?.(path)) === undefined) return failed(refusalOf(located, guard.roots));
        return failed(`${path} is a stored result. Search it with recall (its preview has the entry), or use Read.`);
      }
      if (isHidden(located.path, located.root, hidden)) return failed(`A rule forbids to read ${path}.`);
      // ripgrep would wait for the writer of a pipe.
      const facts = await stat(located.path).catch(() => undefined);
      if (facts !== undefined && !facts.isFile() && !facts.isDirectory())
        return failed(`${path} is no plain file but a device, a pipe or a socket. It was not searched.`);
      const shape = { files: ["--files-with-matches"], count: ["--count-matches", "--with-filename"], lines: LINES }[
        output_mode
      ];
      const args = [
        ...["--hidden", "--sort", "path", ...shape],
        ...(output_mode === "lines" && context !== undefined ? ["--context", String(context)] : []),
        ...(ignore_case === true ? ["--ignore-case"] : []),
        ...(multiline === true ? ["--multiline", "--multiline-dotall"] : []),
        ...(glob === undefined ? [] : ["--glob", glob]),
        // The last matching pattern wins, so a call cannot request hidden files.
        ...hidingGlobs(hidden, { folder: located.root, home: located.root }),
        ...["--regexp", pattern, "--", located.path],
      ];
      const result = await runRipgrep({
        args,
        folder: located.root,
        startedBy: await startedBy(),
        signal,
        mostLines: limit,
        mostCharacters: MAX_CHARACTERS,
      });
      if (result.kind === "failed") return failed(result.message);
      if (result.lines.length === 0) return done("Nothing found.");
      const lines = result.lines.map((line) => line.replaceAll(`${located.root}/`, ""));
      return done(
        [...lines, ...(result.rest === "cut" ? ["[There is more. Narrow the search, or raise the limit.]"] : [])].join(
          "\n",
        ),
      );
    },
  });
}

const LINES = [
  "--line-number",
  "--with-filename",
  "--no-heading",
  "--max-columns",
  String(LINE_CHARACTERS),
  "--max-columns-preview",
];

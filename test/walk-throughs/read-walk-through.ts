/** What a walk-through tells its reader to do. */
export interface WalkThrough {
  readonly files: readonly { readonly path: string; readonly code: string }[];
  /** Changes of files that are there, as unified diffs. */
  readonly changes: readonly string[];
  /** Tests to run at the end, as `npx vitest run` takes them. */
  readonly tests: readonly string[];
}

/** Reads the fenced blocks of a page, which may be indented: code with a path, diffs, and commands that run tests. */
export function readWalkThrough(markdown: string): WalkThrough {
  const blocks = [...markdown.matchAll(/^( *)```(\w+)([^\n]*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = "", language, words = "", body = ""]) => ({
      language,
      path: words.replace("no-run", "").trim(),
      body: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
  return {
    files: blocks.flatMap(({ language, path, body }) =>
      language === "ts" && path !== "" ? [{ path, code: body }] : [],
    ),
    changes: blocks.flatMap(({ language, body }) => (language === "diff" ? [body] : [])),
    tests: blocks.flatMap(({ language, body }) =>
      language === "sh" ? [...body.matchAll(/^npx vitest run (\S+)$/gm)].map(([, path]) => path!) : [],
    ),
  };
}

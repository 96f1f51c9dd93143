export interface FileTexts {
  readonly path: string;
  /** Undefined: there was no file. */
  readonly before: string | undefined;
  /** Undefined: the file was removed. */
  readonly after: string | undefined;
}

const CONTEXT_LINES = 3;

/** The difference of one file, as git shows it. `diff` is loaded when it is needed first. */
export async function diffFiles({ path, before, after }: FileTexts): Promise<string> {
  const { structuredPatch } = await import("diff");
  const { hunks } = structuredPatch("", "", before ?? "", after ?? "", "", "", { context: CONTEXT_LINES });
  const mode =
    before === undefined ? ["new file mode 100644"] : after === undefined ? ["deleted file mode 100644"] : [];
  const head = [
    `diff --git a/${path} b/${path}`,
    ...mode,
    `--- ${before === undefined ? "/dev/null" : `a/${path}`}`,
    `+++ ${after === undefined ? "/dev/null" : `b/${path}`}`,
  ];
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    `@@ -${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)} @@`,
    ...changed,
  ]);
  return [...head, ...lines, ""].join("\n");
}

/** A range without lines begins one before; that it has one line is not said. */
function rangeOf(start: number, lines: number): string {
  if (lines === 1) return `${start}`;
  return lines === 0 ? `${start - 1},0` : `${start},${lines}`;
}

import { expect, test } from "vitest";
import type { Evidence, FileEvidence } from "../evidence/state.ts";
import { rankFiles } from "./attachments.ts";

const file = (path: string, of: Partial<FileEvidence>): FileEvidence => ({
  path,
  reads: 1,
  edits: 0,
  readEntry: 1,
  ranges: [],
  round: 0,
  weight: 1,
  ...of,
});
const evidence = (files: readonly FileEvidence[], facts: Evidence["facts"] = []): Evidence => ({
  version: 1,
  newest: 100,
  round: 50,
  files,
  commands: [],
  errors: [],
  rules: [],
  facts,
  lines: [],
  open: [],
});
const paths = (ranked: readonly { path: string }[]): string[] => ranked.map(({ path }) => path);

test("what was touched lately and often comes first, each with its newest entry and its lines", () => {
  const ranked = rankFiles(
    evidence([
      file("/r/old.ts", { round: 1, weight: 3 }),
      file("/r/busy.ts", { round: 48, weight: 4, editEntry: 90, ranges: [[3, 9]] }),
      file("/r/new.ts", { round: 50, readEntry: 99 }),
    ]),
  );
  expect(paths(ranked)).toEqual(["/r/busy.ts", "/r/new.ts", "/r/old.ts"]);
  expect(ranked[0]).toMatchObject({ entry: 90, ranges: [[3, 9]] });
  expect(ranked[1]).not.toHaveProperty("ranges");
});

test("a file that is named again, or in the newest messages, is nearer", () => {
  const files = [file("/r/a.ts", { round: 40 }), file("/r/b.ts", { round: 40, readEntry: 2 })];
  expect(paths(rankFiles(evidence(files)))).toEqual(["/r/b.ts", "/r/a.ts"]);
  expect(paths(rankFiles(evidence(files), { newestTexts: ["now a.ts"] }))).toEqual(["/r/a.ts", "/r/b.ts"]);
  const named = ["src/a.ts", "path", "model", 9, 3, 49, 3] as const;
  expect(paths(rankFiles(evidence(files, [named])))).toEqual(["/r/a.ts", "/r/b.ts"]);
});

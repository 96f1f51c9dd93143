import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangedFile } from "../changed-copy/tests-process.ts";

/** A mistake that the tests must notice. */
export interface PlantedBug {
  readonly id: string;
  readonly bug: string;
  /** `second`: written from the documents alone, before its author had looked at a test. @default "first" */
  readonly series?: "second";
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
  /** The test that fails with it. */
  readonly test?: string;
}

export function readBugs(root: string): readonly PlantedBug[] {
  const text = readFileSync(join(root, "test/planted/bugs.json"), "utf8");
  return (JSON.parse(text) as { readonly bugs: readonly PlantedBug[] }).bugs;
}

/**
 * The files that a bug changes, as they are with it.
 * @throws if an edit does not fit exactly one place
 */
export function plant({ id, edits }: PlantedBug, read: (file: string) => string): readonly ChangedFile[] {
  const changed = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const pieces = (changed.get(file) ?? read(file)).split(find);
    if (pieces.length !== 2)
      throw new Error(`${id}: ${file} has ${pieces.length - 1} places like ${JSON.stringify(find)}`);
    changed.set(file, pieces.join(replace));
  }
  return Array.from(changed, ([file, text]) => ({ file, text }));
}

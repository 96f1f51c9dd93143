import { findMutants } from "./find-mutants.ts";
import { sample } from "./sample.ts";
import type { PlacedMutant } from "./try-mutant.ts";

/** The folders whose tests are judged. */
export const FOLDERS: Readonly<Record<string, string>> = {
  log: "packages/palimpsest/src/log",
  view: "packages/palimpsest/src/view",
  tokens: "packages/palimpsest/src/tokens",
  cache: "packages/palimpsest/src/cache",
  stages: "packages/palimpsest/src/stages",
  session: "packages/palimpsest/src/session",
  permissions: "apps/agent/src/permissions",
};

export function folderPath(name: string): string {
  const path = FOLDERS[name];
  if (path === undefined) throw new Error(`--folder ${name}: give some of ${Object.keys(FOLDERS).join(", ")}`);
  return path;
}

/** A mutant of one of the folders. */
export interface FolderMutant extends PlacedMutant {
  readonly folder: string;
}

/** Chooses mutants by chance from all that the sources of a folder have: each is as likely as any other. */
export function placeMutants(
  folder: string,
  sources: ReadonlyMap<string, string>,
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly FolderMutant[] {
  const path = folderPath(folder);
  const isProgram = (file: string): boolean =>
    file.startsWith(`${path}/`) && !file.endsWith(".test.ts") && !file.includes("/testing/");
  const files = [...sources.keys()].filter(isProgram).sort();
  const all = files.flatMap((file) => {
    const source = sources.get(file)!;
    return findMutants(file, source).map((mutant) => ({ ...mutant, folder, file, source }));
  });
  return sample(all, count, seed);
}

/** A mutant in words: where it is, and what became what. */
export function describeMutant({ file, source, start, end, text, kind }: PlacedMutant): string {
  const line = source.slice(0, start).split("\n").length;
  const was = source.slice(start, end).replace(/\s+/g, " ");
  return `${file}:${line} ${kind}: ${was.length > 80 ? `${was.slice(0, 77)}...` : was} -> ${text}`;
}

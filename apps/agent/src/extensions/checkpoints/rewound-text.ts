import { relative } from "node:path";
import type { RewoundFiles } from "./checkpoints.ts";

/** Makes paths relative to the project. */
export function shownFiles({ restored, removed, changedByOthers }: RewoundFiles, folder: string): RewoundFiles {
  const shown = (paths: readonly string[]) => paths.map((path) => relative(folder, path));
  return { restored: shown(restored), removed: shown(removed), changedByOthers: shown(changedByOthers) };
}

/** Describes what happened to each file, one line each. */
export function filesText({ restored, removed, changedByOthers }: RewoundFiles): readonly string[] {
  return [
    ...restored.map((path) => `restored ${path}`),
    ...removed.map((path) => `removed ${path}`),
    ...changedByOthers.map((path) => `kept ${path}: something else has changed it since`),
  ];
}

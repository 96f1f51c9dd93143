import type { FileTouch } from "./file-touch.ts";
import { writtenLines } from "./written-lines.ts";

const BEGIN = "*** Begin Patch";

/** Returns the files that a patch changes (`*** Begin Patch`, as `apply_patch` takes it), each with the place of its new lines. */
export function patchedFiles(values: Iterable<unknown>): readonly FileTouch[] {
  for (const value of values) {
    if (typeof value === "string" && value.includes(BEGIN)) return filesOf(value.slice(value.indexOf(BEGIN)));
  }
  return [];
}

function filesOf(patch: string): readonly FileTouch[] {
  const files: FileTouch[] = [];
  for (const section of patch.split(/^\*\*\* (?=(?:Update|Add) File: )/m).slice(1)) {
    const [heading, ...lines] = section.split("\n");
    const path = heading!.slice(heading!.indexOf(": ") + 2).trim();
    const added = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
    const written = writtenLines(added.join("\n"));
    if (path !== "") files.push({ path, access: "edit", ...(written === undefined ? {} : { written }) });
  }
  return files;
}

import type { ToolCall } from "palimpsest";
import { stringsIn } from "./facts.ts";
import type { Touch } from "./touch.ts";

const SED = /^sed -n '(\d+),(\d+)p' ([\w./@-]+)$/;
const CAT = /^(?:cat|nl -ba)(?: -n)? ([\w./@-]+)$/;

/**
 * The files that a recorded command shows, and those that a patch in the form of Codex changes. This reading is not the engine's:
 * what judges the engine does not ask it.
 */
export function shellTouches({ input }: ToolCall): readonly Touch[] {
  const texts = stringsIn(input);
  const patch = texts.find((text) => text.includes("*** Begin Patch"));
  if (patch !== undefined) return patchTouches(patch);
  const command = texts.map((text) => text.trim()).find((text) => SED.test(text) || CAT.test(text));
  if (command === undefined) return [];
  const [, first, last, path] = SED.exec(command) ?? [];
  if (path !== undefined) return [{ path, access: "read", lines: [Number(first), Number(last)] }];
  return [{ path: CAT.exec(command)![1]!, access: "read" }];
}

function patchTouches(patch: string): readonly Touch[] {
  const touches: Touch[] = [];
  for (const section of patch.split(/^\*\*\* (?=(?:Update|Add) File: )/m).slice(1)) {
    const [heading, ...lines] = section.split("\n");
    const path = heading!.slice(heading!.indexOf(": ") + 2).trim();
    if (heading!.startsWith("Add")) {
      touches.push({ path, access: "edit", written: linesWith(lines, "+") });
      continue;
    }
    for (const hunk of lines.join("\n").split(/^@@.*$/m)) {
      const changed = hunk.split("\n");
      const [replaced, written] = [linesWith(changed, "-", " "), linesWith(changed, "+", " ")];
      if (replaced !== "") touches.push({ path, access: "edit", replaced, written });
    }
  }
  return touches;
}

function linesWith(lines: readonly string[], ...marks: readonly string[]): string {
  return lines
    .filter((line) => marks.includes(line[0] ?? ""))
    .map((line) => line.slice(1))
    .join("\n");
}

import type { FileFacts } from "../../workspace/load-file.ts";
import type { FileState } from "./file-states.ts";

export interface FreshnessQuestion {
  readonly path: string;
  /** What the model was told last; undefined if nothing. */
  readonly known: FileState | undefined;
  /** The file as it is now. */
  readonly now: FileFacts;
  /** `part`: the change names the text it replaces. `whole`: it replaces all that is there, seen or not. */
  readonly change: "part" | "whole";
  /** Whether the model still sees what it read. */
  readonly view: "shown" | "gone";
}

/** Why a file may not be changed by what the model knows of it; undefined if it may. */
export function checkFresh({ path, known, now, change, view }: FreshnessQuestion): string | undefined {
  if (known === undefined) return `${path} has not been read in this session. Read it first, then change it.`;
  // Time and size alone miss a change within one tick of the clock.
  if (known.hash !== now.hash) {
    return (
      `${path} has changed since it was last ${known.knownBy === "read" ? "read" : "written"} ` +
      `(${known.sizeBytes} bytes then, ${now.sizeBytes} now). Someone else has edited it: read it again.`
    );
  }
  if (change === "part" || known.knownBy === "write") return undefined;
  if (known.range !== "whole") {
    return `Only lines ${known.range.from} to ${known.range.to} of ${path} were read. Read all of it before you replace it, or use Edit.`;
  }
  return view === "gone"
    ? `What was read of ${path} is no longer in view. Read it again before you replace it, or use Edit.`
    : undefined;
}

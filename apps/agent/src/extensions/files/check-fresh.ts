import type { FileFacts } from "../../workspace/load-file.ts";
import type { FileState } from "./file-states.ts";

export interface FreshnessQuestion {
  readonly path: string;
  /** The model's last knowledge of the file; undefined if it has none. */
  readonly known: FileState | undefined;
  /** The current file. */
  readonly now: FileFacts;
  /** `part`: the change names the text that it replaces. `whole`: it replaces the whole file. */
  readonly change: "part" | "whole";
  /** Whether the model still sees the content that it read. */
  readonly view: "shown" | "gone";
}

/** Why the model may not change a file with its present knowledge; undefined if it may. */
export function checkFresh({ path, known, now, change, view }: FreshnessQuestion): string | undefined {
  if (known === undefined) return `${path} has not been read in this session. Read it first, then change it.`;
  // By the hash: time and size miss a change within one clock tick.
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

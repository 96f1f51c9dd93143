import type { ToolCall } from "../log/block.ts";

/** How a call uses a file. */
export interface FileAccess {
  readonly path: string;
  readonly access: "read" | "edit";
}

const READS = /^(read|view|cat)/i;
const EDITS = /^(edit|write|multi_?edit|str_replace)/i;

/** Returns the file that a call reads or edits, by the names that most agents give to such tools and their input. */
export function fileOf({ name, input }: ToolCall): FileAccess | undefined {
  const access = READS.test(name) ? "read" : EDITS.test(name) ? "edit" : undefined;
  if (access === undefined || typeof input !== "object" || input === null) return undefined;
  const fields = input as Readonly<Record<string, unknown>>;
  const path = fields["file_path"] ?? fields["filePath"] ?? fields["path"];
  return typeof path === "string" ? { path, access } : undefined;
}

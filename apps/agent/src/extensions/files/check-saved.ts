import type { Person } from "../../extension/person.ts";
import type { LoadedFile } from "../../workspace/load-file.ts";

/**
 * Why a file may not be changed: the person's editor has changes in it that are not saved, and one of both would be lost.
 * Undefined if it may be changed.
 */
export async function checkSaved(
  path: string,
  before: LoadedFile | undefined,
  editorText: Person["editorText"],
): Promise<string | undefined> {
  const text = before === undefined ? undefined : await editorText?.(path);
  if (before === undefined || text === undefined || sameText(text, before.bytes.toString("utf8"))) return undefined;
  return `${path} has changes in the user's editor that are not saved. Nothing was written. Ask the user to save or discard them, then read the file again.`;
}

/** Editors keep line ends and the byte order mark apart from the text. */
function sameText(one: string, other: string): boolean {
  return plainText(one) === plainText(other);
}

function plainText(text: string): string {
  return text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
}

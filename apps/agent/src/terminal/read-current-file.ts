import { loadFile } from "../workspace/open-inside.ts";
import { createPathGuard } from "../workspace/path-guard.ts";

/** A file of the project as it is on disk now. */
export type CurrentFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly bytes: number }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable" };

/** @param folders those that tools may use, the project's first */
export async function readCurrentFile(path: string, folders: readonly [string, ...string[]]): Promise<CurrentFile> {
  try {
    const [folder, ...others] = folders;
    const located = await (await createPathGuard(folder, others)).locate(path);
    if (located.kind !== "inside") return { kind: "unreadable" };
    const file = await loadFile(located.path, located.root);
    if (file === undefined) return { kind: "absent" };
    const text = file.bytes.toString("utf8");
    return Buffer.from(text).equals(file.bytes) ? { kind: "text", text } : { kind: "binary", bytes: file.bytes.length };
  } catch {
    // The tool that is asked about will say what is wrong; here it only cannot be shown.
    return { kind: "unreadable" };
  }
}

import { createHash } from "node:crypto";
import { sep } from "node:path";
import type { TranscriptDescription } from "./describe-transcript.ts";

/**
 * Whether a session took place in a folder or below it. `unknown`: its agent does not record where.
 *
 * @param folder an absolute path
 * @param below whether folders below it count. @default they do
 */
export function isOfFolder(
  { agent, path, cwd }: Pick<TranscriptDescription, "agent" | "path" | "cwd">,
  folder: string,
  below: "counts" | "does not count" = "counts",
): "yes" | "no" | "unknown" {
  if (cwd !== undefined) return cwd === folder || (below === "counts" && isBelow(cwd, folder)) ? "yes" : "no";
  // Gemini CLI names the folder of a project's chats by the digest of the project's path; later versions by a short name.
  const [, place = ""] = agent === "gemini" ? (/[\\/]tmp[\\/]([^\\/]+)[\\/]chats[\\/]/.exec(path) ?? []) : [];
  if (/^[0-9a-f]{64}$/.test(place)) {
    return place === createHash("sha256").update(folder).digest("hex") ? "yes" : "no";
  }
  return "unknown";
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`) && !path.split(/[\\/]/).includes("..");
}

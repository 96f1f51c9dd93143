import { type LogHead, type LogWriter, sealEntries, sha256 } from "palimpsest/core";

const PAYLOAD = JSON.stringify({ text: "x".repeat(400) });

/** Appends one entry of each kind, in one commit. */
export async function appendKinds(writer: LogWriter, head: LogHead, kinds: readonly string[]): Promise<LogHead> {
  const drafts = kinds.map((kind) => ({ kind, version: 1, payload: PAYLOAD }));
  const result = await writer.append(sealEntries(drafts, { head, atMs: Date.now(), digest: sha256 }));
  if (result.kind !== "appended") throw new Error(result.kind);
  return result.head;
}

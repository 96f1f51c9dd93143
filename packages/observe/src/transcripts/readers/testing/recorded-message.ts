import type { RecordedMessage } from "../recorded.ts";

/** A message of the user in the session itself, unless the fields say otherwise. */
export const recordedMessage = (id: string, atMs: number, fields: Partial<RecordedMessage> = {}): RecordedMessage => ({
  kind: "message",
  id,
  branch: "main",
  atMs,
  role: "user",
  origin: "human",
  blocks: [],
  ...fields,
});

/** The first message of a session. */
export const hello = (id: string, atMs: number): RecordedMessage =>
  recordedMessage(id, atMs, { blocks: [{ kind: "text", text: "hello" }] });

import type { RecordedMessage } from "../recorded.ts";

/** The first message of a session, by the user. */
export const hello = (id: string, atMs: number): RecordedMessage => ({
  kind: "message",
  id,
  branch: "main",
  atMs,
  role: "user",
  origin: "human",
  blocks: [{ kind: "text", text: "hello" }],
});

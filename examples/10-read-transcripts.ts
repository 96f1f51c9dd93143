/** Reads a session of another agent and says what its prompt cache did. Give a path, or see it on a small made-up session. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTranscript } from "@palimpsest/observe";

const folder = await mkdtemp(join(tmpdir(), "palimpsest-"));
const path = process.argv[2] ?? (await writeSample(join(folder, "session.jsonl")));

const totals = { responses: 0, readTokens: 0, writtenTokens: 0, freshTokens: 0, compactions: 0, damagedLines: 0 };
for await (const entry of readTranscript(path)) {
  if (entry.kind === "session") console.log(`a session of ${entry.agent} ${entry.version ?? ""}`);
  if (entry.kind === "compaction") totals.compactions++;
  if (entry.kind === "damage") totals.damagedLines++;
  if (entry.kind !== "usage") continue;
  totals.responses++;
  totals.readTokens += entry.cacheReadTokens;
  totals.writtenTokens += entry.cacheWriteTokens ?? 0;
  totals.freshTokens += entry.freshTokens;
}
console.table(totals);
await rm(folder, { recursive: true });

async function writeSample(file: string): Promise<string> {
  const line = (fields: object): string =>
    JSON.stringify({ isSidechain: false, sessionId: "sample", version: "2.1.0", ...fields });
  const usage = (read: number, written: number) => ({
    input_tokens: 3,
    output_tokens: 40,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  });
  const message = (id: string, text: string, used: object) => ({
    id,
    role: "assistant",
    model: "claude-opus-5-5",
    stop_reason: "end_turn",
    content: [{ type: "text", text }],
    usage: used,
  });
  const lines = [
    line({
      type: "user",
      uuid: "1",
      parentUuid: null,
      timestamp: "2026-11-01T10:00:00Z",
      message: { role: "user", content: "Hello" },
    }),
    line({
      type: "assistant",
      uuid: "2",
      parentUuid: "1",
      timestamp: "2026-11-01T10:00:05Z",
      message: message("msg_1", "Hi.", usage(0, 33_000)),
    }),
    "half a line, because the disk was full: {",
    line({
      type: "user",
      uuid: "3",
      parentUuid: "2",
      timestamp: "2026-11-01T10:01:00Z",
      message: { role: "user", content: "Go on" },
    }),
    line({
      type: "assistant",
      uuid: "4",
      parentUuid: "3",
      timestamp: "2026-11-01T10:01:04Z",
      message: message("msg_2", "Done.", usage(33_000, 200)),
    }),
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  return file;
}

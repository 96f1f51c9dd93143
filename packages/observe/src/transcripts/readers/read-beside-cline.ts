import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { asCount, asList, asObject, type JsonObject } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import { readClineRequests } from "./cline-requests.ts";
import type { ReadClineOptions } from "./read-cline.ts";
import { readLinesOf } from "./read-lines-of.ts";

const RUNTIME_ENDING = ".messages.json";

/** Reads the data of a task that cline keeps outside its messages file. Missing or unreadable data is omitted. */
export async function readBesideCline(path: string): Promise<ReadClineOptions> {
  const folder = dirname(path);
  const name = basename(path);
  if (name.endsWith(RUNTIME_ENDING)) {
    const id = name.slice(0, -RUNTIME_ENDING.length);
    return { id, compaction: await readCompaction(join(folder, `${id}.compaction.json`)) };
  }
  const id = basename(folder);
  try {
    return { id, requests: await readClineRequests(readLinesOf(createReadStream(join(folder, "ui_messages.json")))) };
  } catch {
    return { id };
  }
}

async function readCompaction(path: string): Promise<ReadClineOptions["compaction"]> {
  let state: JsonObject | undefined;
  try {
    state = asObject(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
  const [messages, count] = [asList(state?.["messages"]), asCount(state?.["source_message_count"])];
  if (messages === undefined || count === undefined) return undefined;
  return { messages, count, atMs: asTimeMs(state?.["updated_at"]) };
}

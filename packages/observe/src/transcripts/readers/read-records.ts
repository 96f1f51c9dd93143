import { asObject, type JsonObject } from "palimpsest/schema";
import type { TranscriptLine, TranscriptLines } from "./read-lines.ts";
import type { RecordedDamage } from "./recorded.ts";

export interface TranscriptRecord {
  kind: "record";
  line: number;
  /** The position among the records of the file, from zero: a stable name for a record without an id. */
  index: number;
  fields: JsonObject;
}

/**
 * Parses lines of JSON objects. Skips blank lines, and a line equal to the one before it: every line of these formats
 * has an id or a time to the millisecond, so equal lines are one record written twice.
 */
export async function* readRecords(lines: TranscriptLines): AsyncGenerator<TranscriptRecord | RecordedDamage> {
  let previous = "";
  let index = 0;
  for await (const line of lines) {
    if (line.kind === "damage") {
      yield line;
      continue;
    }
    if (line.text.trim() === "") continue;
    const record = toRecord(line, index);
    if (record.kind === "record") index += 1;
    if (line.text !== previous) yield record;
    previous = line.text;
  }
}

/** Parses a single line, to recognize the format. */
export function toRecord({ number, text }: TranscriptLine, index = 0): TranscriptRecord | RecordedDamage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "damage", line: number, reason: "not-json" };
  }
  const fields = asObject(value);
  if (fields === undefined) return { kind: "damage", line: number, reason: "not-an-object" };
  return { kind: "record", line: number, index, fields };
}

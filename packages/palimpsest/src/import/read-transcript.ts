import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { asObject, asString, type JsonObject } from "../log/json-fields.ts";
import { readClaudeCode } from "./read-claude-code.ts";
import { readCodex } from "./read-codex.ts";
import { type ReadLinesOptions, readLines, type TranscriptLine } from "./read-lines.ts";
import { readPi } from "./read-pi.ts";
import { toRecord } from "./read-records.ts";
import type { RecordedAgent, RecordedDamage, RecordedEntry } from "./recorded.ts";
import { UnknownTranscriptError } from "./unknown-transcript-error.ts";

type Line = TranscriptLine | RecordedDamage;

interface Format {
  agent: RecordedAgent;
  recognises(record: JsonObject): boolean;
  read(lines: AsyncIterable<Line>): AsyncGenerator<RecordedEntry>;
}

const FORMATS: readonly Format[] = [
  {
    agent: "claude-code",
    recognises: (record) => typeof record["isSidechain"] === "boolean" && typeof record["sessionId"] === "string",
    read: readClaudeCode,
  },
  {
    agent: "codex",
    recognises: (record) => record["type"] === "session_meta" && asObject(record["payload"]) !== undefined,
    read: readCodex,
  },
  {
    agent: "pi",
    recognises: (record) => record["type"] === "session" && typeof record["id"] === "string",
    read: readPi,
  },
];

// Claude Code writes titles, snapshots and the like before the first line that tells: up to 14 lines in 155 sessions.
const RECOGNITION_LINES = 200;

/**
 * Reads the transcript of another agent from a file or from bytes, plain or compressed with zstd, and finds out by itself
 * whose it is. Holds one line, and ids of those before. Broken content gives entries of damage; an unknown format throws
 * UnknownTranscriptError, a file that cannot be opened or read the error of the file system.
 */
export async function* readTranscript(
  source: string | URL | AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<RecordedEntry> {
  const bytes = typeof source === "string" || source instanceof URL ? createReadStream(source) : source;
  const { format, lines } = await recognise(readWhatIsWhole(decompress(bytes), options));
  yield* format.read(lines);
}

/** Reads until a line tells the format, and hands back that format with all lines from the first. */
async function recognise(lines: AsyncGenerator<Line>): Promise<{ format: Format; lines: AsyncGenerator<Line> }> {
  const seen: Line[] = [];
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    seen.push(next.value);
    const format = toFormat(next.value);
    if (format !== undefined) return { format, lines: replay(seen, lines) };
    if (seen.length === RECOGNITION_LINES) break;
  }
  await lines.return(undefined);
  const texts = seen.map((line) => (line.kind === "line" ? line.text : ""));
  throw new UnknownTranscriptError({
    lineCount: seen.length,
    firstLine: texts.find((text) => text.trim() !== "")?.slice(0, 80) ?? "",
    knownAgents: FORMATS.map((format) => format.agent),
  });
}

function toFormat(line: Line): Format | undefined {
  const record = line.kind === "line" ? toRecord(line) : line;
  return record.kind === "damage" ? undefined : FORMATS.find((format) => format.recognises(record.fields));
}

async function* replay(seen: Line[], rest: AsyncGenerator<Line>): AsyncGenerator<Line> {
  try {
    yield* seen.splice(0);
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** A file whose compressed form is broken is read up to there. */
async function* readWhatIsWhole(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions,
): AsyncGenerator<TranscriptLine | RecordedDamage> {
  let number = 0;
  try {
    for await (const line of readLines(bytes, options)) {
      number += 1;
      yield line;
    }
  } catch (error) {
    if (!/^Z(STD)?_/.test(asString(asObject(error)?.["code"]) ?? "")) throw error;
    yield { kind: "damage", line: number + 1, reason: "cut-off" };
  }
}

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Decompresses what begins like zstd (RFC 8878, section 3.1.1), whatever its name, and passes on the rest unchanged. */
async function* decompress(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  try {
    let head = Buffer.alloc(0);
    while (head.length < ZSTD_MAGIC.length) {
      const { done, value } = await chunks.next();
      if (done) break;
      head = Buffer.concat([head, value]);
    }
    const all = (async function* (): AsyncGenerator<Uint8Array> {
      yield head;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    })();
    const isCompressed = head.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC);
    // An error of either side ends the iteration with that error.
    yield* isCompressed ? pipeline(Readable.from(all), createZstdDecompress(), () => {}) : all;
  } finally {
    await chunks.return?.();
  }
}

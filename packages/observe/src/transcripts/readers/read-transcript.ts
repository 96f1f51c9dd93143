import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { asObject, asString, checkArgument, type Needed } from "palimpsest/schema";
import { decompress } from "./decompress.ts";
import type { ReadLinesOptions, TranscriptLine } from "./read-lines.ts";
import { readLinesOf } from "./read-lines-of.ts";
import { readOpencode } from "./read-opencode.ts";
import { toRecord } from "./read-records.ts";
import { RECORDED_AGENTS, type RecordedDamage, type RecordedEntry } from "./recorded.ts";
import { SeveralSessionsError, UnknownTranscriptError } from "./transcript-errors.ts";
import { TRANSCRIPT_FORMATS, type TranscriptFormat } from "./transcript-formats.ts";

type Line = TranscriptLine | RecordedDamage;

/** A transcript on the disk. */
export interface TranscriptReference {
  readonly path: string;
  /** The session, if the file contains several (opencode's database). @default the only one */
  readonly session?: string;
}

/** A transcript: a path, an address of a file, a reference, or its bytes. */
export type TranscriptSource = string | URL | TranscriptReference | AsyncIterable<Uint8Array>;

// Claude Code writes titles, snapshots and the like before the first recognizable line: up to 14 lines in 155 sessions.
const RECOGNITION_LINES = 200;
const SQLITE_MAGIC = "SQLite format 3\0";
const OPENCODE_FILE = /[\\/]storage[\\/]session[\\/][^\\/]+[\\/][^\\/]+\.json$/;

const SOURCE: Needed = {
  needed: "the path of a file, its URL, or an async iterable of bytes",
  fits: (value) =>
    (typeof value === "string" && value !== "") ||
    (typeof value === "object" &&
      value !== null &&
      (value instanceof URL || "path" in value || Symbol.asyncIterator in value)),
};

/**
 * Reads the transcript of another agent from a file or from bytes, plain or compressed with zstd, and detects its
 * format. Holds one line, and the ids of earlier ones. Broken content becomes damage entries. Throws
 * UnknownTranscriptError for an unknown format, and the file system's error for a file that cannot be opened or read.
 */
export async function* readTranscript(
  source: TranscriptSource,
  options: ReadLinesOptions = {},
): AsyncGenerator<RecordedEntry> {
  checkArgument("readTranscript(source)", source, SOURCE);
  const reference = toReference(source);
  if (reference === undefined) {
    yield* readBytes(source as AsyncIterable<Uint8Array>, options);
  } else if (await isDatabase(reference.path)) {
    yield* readDatabase(reference);
  } else if (OPENCODE_FILE.test(reference.path)) {
    yield* readSessionFiles(reference.path);
  } else {
    yield* readBytes(createReadStream(reference.path), options, reference.path);
  }
}

function toReference(source: TranscriptSource): TranscriptReference | undefined {
  if (typeof source === "string") return { path: source };
  if (source instanceof URL) return { path: fileURLToPath(source) };
  return "path" in source && typeof source.path === "string" && !(Symbol.asyncIterator in source) ? source : undefined;
}

async function* readBytes(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions,
  path?: string,
): AsyncGenerator<RecordedEntry> {
  const { format, lines } = await recognize(readWhatIsWhole(decompress(bytes), options));
  yield* format.read(lines, path);
}

/** Reads until a line shows the format, and returns the format with all lines from the first. */
async function recognize(
  lines: AsyncGenerator<Line>,
): Promise<{ readonly format: TranscriptFormat; readonly lines: AsyncGenerator<Line> }> {
  const seen: Line[] = [];
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    seen.push(next.value);
    const format = toFormat(next.value);
    if (format !== undefined) return { format, lines: replay(seen, lines) };
    if (seen.length === RECOGNITION_LINES) break;
  }
  await lines.return(undefined);
  throw unknown(seen);
}

function toFormat(line: Line): TranscriptFormat | undefined {
  const record = line.kind === "line" ? toRecord(line) : line;
  return record.kind === "damage" ? undefined : TRANSCRIPT_FORMATS.find((format) => format.recognizes(record.fields));
}

async function* replay(seen: Line[], rest: AsyncGenerator<Line>): AsyncGenerator<Line> {
  try {
    yield* seen.splice(0);
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Reads a file with broken compression up to the broken place. */
async function* readWhatIsWhole(bytes: AsyncIterable<Uint8Array>, options: ReadLinesOptions): AsyncGenerator<Line> {
  let number = 0;
  try {
    for await (const line of readLinesOf(bytes, options)) {
      number += 1;
      yield line;
    }
  } catch (error) {
    if (!/^Z(STD)?_/.test(asString(asObject(error)?.["code"]) ?? "")) throw error;
    yield { kind: "damage", line: number + 1, reason: "cut-off" };
  }
}

async function isDatabase(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(SQLITE_MAGIC.length), 0, SQLITE_MAGIC.length, 0);
    return buffer.subarray(0, bytesRead).toString("latin1") === SQLITE_MAGIC;
  } finally {
    await file.close();
  }
}

async function* readDatabase({ path, session }: TranscriptReference): AsyncGenerator<RecordedEntry> {
  const { openOpencodeDatabase } = await import("./open-opencode.ts");
  const database = openOpencodeDatabase(path);
  try {
    const ids = database.sessions();
    if (session === undefined && ids.length > 1) throw new SeveralSessionsError(path, ids);
    const found = database.session(session ?? ids[0] ?? "");
    if (found === undefined) throw unknown([]);
    yield* readOpencode(found);
  } finally {
    database.close();
  }
}

async function* readSessionFiles(path: string): AsyncGenerator<RecordedEntry> {
  const { openOpencodeFiles } = await import("./open-opencode.ts");
  const session = await openOpencodeFiles(path);
  if (session === undefined) throw unknown([]);
  yield* readOpencode(session);
}

function unknown(seen: readonly Line[]): UnknownTranscriptError {
  const texts = seen.map((line) => (line.kind === "line" ? line.text : ""));
  return new UnknownTranscriptError({
    lineCount: seen.length,
    firstLine: texts.find((text) => text.trim() !== "")?.slice(0, 80) ?? "",
    knownAgents: RECORDED_AGENTS,
  });
}

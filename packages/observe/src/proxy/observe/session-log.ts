import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Recognized } from "../sessions/recognize-session.ts";
import type { Relation } from "../sessions/thread.ts";
import type { HeadSizes } from "../wire/head-sizes.ts";

/** The version of the log's format. `read-proxy.ts` of `@palimpsest/observe` reads it. */
const FORMAT = 1;

export interface SessionLog {
  readonly path: string;
  /** Appends lines, all or none. Throws the file system's error. */
  append(lines: readonly string[]): void;
}

/** The log of a thread, readable by its user only. Each write opens it: thousands of sessions hold no files open. */
export function openSessionLog(
  folder: string,
  { session, thread }: Pick<Recognized, "session" | "thread">,
  startedAtMs: number,
  write: typeof writeSync = writeSync,
): SessionLog {
  const { api, upstream, name, agent } = session;
  const path = join(folder, `${new Date(startedAtMs).toISOString().replaceAll(/[:.]/g, "-")}-${thread.id}.jsonl`);
  const head = JSON.stringify({ proxy: FORMAT, id: thread.id, api, upstream, atMs: startedAtMs, session: name, agent });
  let isNew = true;
  return {
    path,
    append(lines) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = openSync(path, "a", 0o600);
      try {
        const { size } = fstatSync(file);
        const text = [...(isNew || size === 0 ? [head] : []), ...lines].map((line) => `${line}\n`).join("");
        writeWhole(write, file, Buffer.from(text), size);
        isNew = false;
      } finally {
        closeSync(file);
      }
    },
  };
}

/** A full disk may take a part of a line. The part is removed, so that the next line begins a line. */
function writeWhole(write: typeof writeSync, file: number, bytes: Buffer, size: number): void {
  try {
    for (let at = 0; at < bytes.length; ) at += write(file, bytes, at);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

/** A line about a request. Messages that the request before had, and the answer to it, are not repeated. */
export function requestLine(
  { kind, ...how }: Relation,
  about: {
    readonly number: number;
    readonly atMs: number;
    readonly model: string | undefined;
    readonly bytes: number;
    /** Parts before the messages that the request before had otherwise. */
    readonly changed: readonly string[];
    /** Messages of the model that the log has as a response. */
    readonly echoed: number;
    /** Of the first request, and wherever something before the messages has changed. */
    readonly head?: HeadSizes;
  },
  items: readonly Buffer[],
): string {
  const head = JSON.stringify({ type: "request", relation: kind, ...how, ...about });
  return `${head.slice(0, -1)},"items":[${items.map(toLine).join(",")}]}`;
}

/** The bytes as they were sent, unless they have line breaks: a log has one line for each record. */
function toLine(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return /[\r\n]/.test(text) ? JSON.stringify(JSON.parse(text)) : text;
}

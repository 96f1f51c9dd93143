import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toWireMessage } from "../../transcripts/readers/wire.ts";
import type { Observer, ReadableExchange } from "../observe/create-observer.ts";
import type { ArrivedRequest } from "../observe/exchange.ts";
import type { ProxyEvent } from "../proxy-event.ts";
import type { Recognized } from "../sessions/recognize-session.ts";
import type { Thread } from "../sessions/thread.ts";
import { findResults, textOfResult, type WireResult } from "../wire/find-results.ts";
import { readRequest, type WireRequest } from "../wire/read-request.ts";
import { parseRange } from "../wire/scan-json.ts";
import type { Splice } from "../wire/splice.ts";
import { viewOf } from "../wire/view-of.ts";
import { withoutMarks } from "../wire/without-marks.ts";
import { stubText } from "./stub-text.ts";

export interface ResultStoreOptions {
  /** Results are in `stored` below it. */
  readonly folder: string;
  readonly maxResultBytes: number;
  readonly observer: Observer;
  readonly onEvent: (event: ProxyEvent) => void;
}

export interface ResultStore {
  /** What to replace in a request: results that were replaced before, and large ones that are new. */
  plan(number: number, arrived: ArrivedRequest, body: Uint8Array): readonly Splice[];
  /** The request of a plan was sent as it was: its results are not new any more. */
  unused(plan: number): void;
  /** Takes in how it went. A replacement counts from the first time that the service accepted it. */
  settle(exchange: ReadableExchange, thread: Thread | undefined): void;
}

/** Replacements are kept as files, so that they are the same after a restart. */
export function createResultStore({ folder, maxResultBytes, observer, onEvent }: ResultStoreOptions): ResultStore {
  const stored = join(folder, "stored");
  const stopped = new WeakSet<Thread>();
  /** The keys of newly replaced results, by plan. */
  const planned = new Map<number, readonly string[]>();
  /** The service has seen these as they are. */
  const seen = new Set<string>();
  const fileOf = (key: string): string => join(stored, `${key}.txt`);
  const stubOf = (key: string): string => join(stored, `${key}.stub`);

  /** The text of a replacement that was sent before. */
  function frozen(key: string): string | undefined {
    try {
      return readFileSync(stubOf(key), "utf8");
    } catch {
      return undefined;
    }
  }

  function write(path: string, text: string): boolean {
    try {
      mkdirSync(stored, { recursive: true, mode: 0o700 });
      // Half a file would be sent as if it were the replacement.
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      return true;
    } catch (error) {
      rmSync(`${path}.new`, { force: true });
      onEvent({ kind: "passed", why: "not-written", detail: `${path}: ${(error as Error).message}` });
      return false;
    }
  }

  /** Keeps a result. Undefined: it cannot be replaced. */
  function keep(key: string, body: Buffer, { content }: WireResult): string | undefined {
    const text = textOfResult(body, content);
    // A mark inside would be lost.
    const hasMark = withoutMarks(body, content).length > 1;
    if (text === undefined || hasMark || Buffer.byteLength(text) <= maxResultBytes) return undefined;
    return write(fileOf(key), text) ? stubText(text, fileOf(key)) : undefined;
  }

  return {
    plan(number, arrived, bytes) {
      const body = viewOf(bytes);
      const recognized = observer.recognize(arrived, body);
      if (recognized === undefined) {
        onEvent({ kind: "passed", why: "unreadable", detail: `a request to ${arrived.upstream} (${arrived.api})` });
        return [];
      }
      const { found, sent } = recognized;
      if (stopped.has(found.thread)) return [];
      const from = firstNew(found, sent.request, body);
      const large = largeResults(arrived, sent.request, body, maxResultBytes);
      remember(
        planned,
        number,
        large.flatMap(({ key, index }) => (index >= from ? [key] : [])),
      );
      return large.flatMap(({ key, index, result }) => {
        const text = frozen(key) ?? (index >= from && !seen.has(key) ? keep(key, body, result) : undefined);
        return text === undefined ? [] : [{ ...result.content, text: JSON.stringify(text) }];
      });
    },
    unused(plan) {
      for (const key of planned.get(plan) ?? []) seen.add(key);
    },
    settle(exchange, thread) {
      const body = viewOf(exchange.request);
      const isAccepted = thread !== undefined;
      const request = isAccepted && (exchange.edited || exchange.edits) ? readRequest(exchange.api, body) : undefined;
      if (request === undefined || thread === undefined) return;
      const large = largeResults(exchange, request, body, maxResultBytes);
      if (exchange.edits === "refused") {
        // The service has now seen the originals.
        stopped.add(thread);
        for (const { key } of large) rmSync(stubOf(key), { force: true });
        return;
      }
      for (const { key, result } of large) {
        if (frozen(key) !== undefined) continue;
        const text = textOfResult(body, result.content);
        const sent = text && stubText(text, fileOf(key));
        if (!sent || !viewOf(exchange.edited!).includes(JSON.stringify(sent)) || !write(stubOf(key), sent)) continue;
        const { callId, content } = result;
        const place = { session: thread.id, atMs: exchange.atMs };
        onEvent({ kind: "stored", ...place, callId, bytes: content.end - content.start, file: fileOf(key) });
      }
    },
  };
}

/** More plans than can be on their way at a time. */
const MAX_PLANS = 1_000;

function remember(planned: Map<number, readonly string[]>, number: number, keys: readonly string[]): void {
  planned.set(number, keys);
  planned.delete(number - MAX_PLANS);
}

interface LargeResult {
  readonly key: string;
  /** Of its message. */
  readonly index: number;
  readonly result: WireResult;
}

function largeResults(
  { api, upstream }: Pick<ArrivedRequest, "api" | "upstream">,
  request: WireRequest,
  body: Buffer,
  maxBytes: number,
): readonly LargeResult[] {
  return request.items.flatMap((item, index) => {
    if (item.end - item.start <= maxBytes) return [];
    return findResults(api, body, item)
      .filter(({ content }) => content.end - content.start > maxBytes)
      .map((result) => ({ key: keyOf(upstream, body, result), index, result }));
  });
}

/** The same result of the same call has the same key, wherever it stands. */
function keyOf(upstream: string, body: Buffer, { callId, content }: WireResult): string {
  const hash = createHash("sha256").update(JSON.stringify([upstream, callId]));
  for (const { start, end } of withoutMarks(body, content)) hash.update(body.subarray(start, end));
  return hash.digest("hex");
}

/**
 * The first message that the service cannot have seen. In a conversation that began elsewhere, nobody knows; nor after a rewind or a
 * compaction by the client.
 */
function firstNew({ relation, heldItems }: Recognized, request: WireRequest, body: Buffer): number {
  if (relation.kind === "continues") return heldItems === undefined ? relation.kept : 0;
  if (relation.kind !== "begins" || request.previousResponse !== undefined) return Number.POSITIVE_INFINITY;
  const isBegun = request.items.some((item) => toWireMessage(request.api, parseRange(body, item))?.origin === "model");
  return isBegun ? Number.POSITIVE_INFINITY : 0;
}

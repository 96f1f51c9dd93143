import { randomUUID } from "node:crypto";
import { answeredCalls, toWireMessage, toWireUsage } from "../../transcripts/readers/wire.ts";
import type { ProxyEvent } from "../proxy-event.ts";
import { createSessions, type Recognized, type SentRequest } from "../sessions/recognize-session.ts";
import type { Thread, ThreadItem } from "../sessions/thread.ts";
import { decodeBody } from "../wire/decode-body.ts";
import { headSizes } from "../wire/head-sizes.ts";
import { readRequest, type WireItem, type WireRequest } from "../wire/read-request.ts";
import { readResponse } from "../wire/read-response.ts";
import { parseRange, type Range } from "../wire/scan-json.ts";
import { viewOf } from "../wire/view-of.ts";
import { namesIn } from "../wire/wire-apis.ts";
import type { WireResponse } from "../wire/wire-response.ts";
import type { ArrivedRequest, Exchange } from "./exchange.ts";
import { type CountedRequest, changedParts, findBreak, toBilled, usdOf } from "./find-break.ts";
import { openSessionLog, requestLine, type SessionLog } from "./session-log.ts";

export interface ObserverOptions {
  /** Where logs are written. */
  readonly folder: string;
  readonly onEvent: (event: ProxyEvent) => void;
}

export interface Observer {
  /**
   * Looks at what went by: recognizes the session, writes its log, counts, and finds cache breaks. Returns the thread that the exchange
   * belongs to, if the model answered.
   */
  observe(exchange: ReadableExchange): Thread | undefined;
  /** Recognizes a request before it is sent. Undefined: its body is not what the API takes. */
  recognize(
    arrived: ArrivedRequest,
    body: Buffer,
  ): { readonly sent: SentRequest; readonly found: Recognized } | undefined;
}

/** An exchange of an API that is understood. */
export type ReadableExchange = Exchange & ArrivedRequest;

/** What is kept of each thread beside its digests. */
interface Kept {
  readonly log: SessionLog;
  requests: number;
  /** The last request that was counted. */
  counted?: CountedRequest;
}

interface Answered {
  readonly exchange: ReadableExchange;
  readonly request: WireRequest;
  readonly response: WireResponse;
  readonly keeping: Kept;
}

/** Sees exchanges one after the other. Holds digests and counts of each session, and no text. */
export function createObserver({ folder, onEvent }: ObserverOptions): Observer {
  const sessions = createSessions(randomUUID);
  const kept = new WeakMap<Thread, Kept>();

  const recognize: Observer["recognize"] = (arrived, body) => {
    const { api, upstream, headers, credential } = arrived;
    const request = readRequest(api, body);
    if (request === undefined) return undefined;
    const items = request.items.map((item) => toThreadItem(request, body, item));
    const sent: SentRequest = { request, items, names: namesIn(headers), upstream, credential };
    return { sent, found: sessions.recognize(sent) };
  };

  function keptOf({ session, thread }: Recognized, atMs: number): Kept {
    const known = kept.get(thread);
    if (known !== undefined) return known;
    const log = openSessionLog(folder, { session, thread }, atMs);
    const begun: Kept = { log, requests: 0 };
    kept.set(thread, begun);
    const { api, upstream, name } = session;
    const given = name === undefined ? {} : { name };
    onEvent({ kind: "session", session: thread.id, ...given, api, upstream, log: log.path });
    return begun;
  }

  /** Counts a response. Returns lines for the log. */
  function count(
    { thread, relation }: Recognized,
    { exchange, request, response, keeping }: Answered,
  ): readonly string[] {
    const usage = toWireUsage(exchange.api, response.usage);
    const model = response.model ?? request.model;
    if (usage === undefined || model === undefined) return [];
    const billed = toBilled(usage);
    const usd = usdOf(model, billed);
    const place = { session: thread.id, atMs: exchange.atMs, model };
    const price = usd === undefined ? {} : { usd };
    onEvent({ kind: "response", ...place, ...billed, ...price });
    const before = keeping.counted;
    const now: CountedRequest = { sentAtMs: exchange.sentAtMs, model, head: request.head, billed };
    keeping.counted = now;
    const lost = before && findBreak(before, now, relation);
    if (lost === undefined) return [];
    onEvent({ kind: "break", ...place, ...lost });
    return [JSON.stringify({ type: "break", atMs: exchange.atMs, ...lost })];
  }

  return {
    recognize,
    observe(exchange) {
      const requestBody = decodeBody(viewOf(exchange.request), exchange.headers["content-encoding"]);
      const recognized = requestBody && recognize(exchange, requestBody);
      if (recognized === undefined) {
        onEvent({ kind: "passed", why: "unreadable", detail: `a request to ${exchange.upstream} (${exchange.api})` });
        return undefined;
      }
      const { sent, found } = recognized;
      const { relation } = found;
      const encoding = exchange.responseHeaders["content-encoding"];
      const responseBody = exchange.status === 200 ? decodeBody(viewOf(exchange.response), encoding) : undefined;
      const response = responseBody && readResponse(exchange.api, responseBody);
      if (response === undefined) {
        // A request that was refused changes nothing: the next one follows the same as before.
        onEvent({
          kind: "failed",
          upstream: exchange.upstream,
          status: exchange.status,
          why: exchange.status === 200 ? "no answer of a model" : "the service refused the request",
        });
        return undefined;
      }
      const keeping = keptOf(found, exchange.sentAtMs);
      // The log has what the model saw.
      const from = exchange.edited === undefined ? requestBody! : viewOf(exchange.edited);
      const shown = (exchange.edited === undefined ? undefined : readRequest(exchange.api, from)) ?? sent.request;
      const isTail = found.heldItems !== undefined;
      const keptItems = isTail || !("kept" in relation) ? 0 : relation.kept;
      const fresh = shown.items.slice(keptItems);
      const isAnswered = relation.kind === "continues" || relation.kind === "cleared";
      const echoed = isAnswered && !isTail ? leadingAnswers(shown, from, fresh) : 0;
      const number = ++keeping.requests;
      const changed = changedParts(found.thread.head, sent.request.head);
      const isNewHead = number === 1 || changed.length > 0;
      const about = {
        number,
        atMs: exchange.sentAtMs,
        model: sent.request.model,
        bytes: from.length,
        changed,
        echoed,
        ...(isNewHead ? { head: headSizes(exchange.api, from) } : {}),
      };
      const items = fresh.slice(echoed).map(({ start, end }) => from.subarray(start, end));
      const lines = [requestLine(relation, about, items), responseLine(number, exchange, response)];
      const breaks = count(found, { exchange, request: sent.request, response, keeping });
      sessions.keep(found, sent, response.id);
      try {
        keeping.log.append([...lines, ...breaks]);
      } catch (error) {
        onEvent({ kind: "passed", why: "not-written", detail: `${keeping.log.path}: ${(error as Error).message}` });
      }
      return found.thread;
    },
  };
}

function responseLine(number: number, { atMs, ended }: Exchange, response: WireResponse): string {
  const end = ended === "whole" ? response.ended : "cut";
  return JSON.stringify({ type: "response", number, atMs, ...response, ended: end });
}

function toThreadItem({ api }: WireRequest, body: Buffer, item: WireItem): ThreadItem {
  const { digest } = item;
  // Most messages answer no call: they are not parsed.
  const bytes = body.subarray(item.start, item.end);
  const origin = SAID_BY_MODEL.some((word) => bytes.includes(word)) ? "model" : "client";
  if (!ANSWER.some((word) => bytes.includes(word))) return { digest, answers: [], origin };
  const message = toWireMessage(api, parseRange(body, item));
  return { digest, answers: message === undefined ? [] : answeredCalls(message), origin };
}

/** One of them stands in every message and item of a model. In a text, their quotes are escaped. */
const SAID_BY_MODEL: readonly Buffer[] = ['"assistant"', '"function_call"', '"reasoning"'].map((word) =>
  Buffer.from(word),
);

/** One of them stands in every message with the result of a call. */
const ANSWER: readonly Buffer[] = ['"tool_use_id"', '"call_id"', '"tool_call_id"'].map((word) => Buffer.from(word));

/** How many messages of the model the new part begins with. */
function leadingAnswers({ api }: WireRequest, body: Buffer, items: readonly Range[]): number {
  const first = items.findIndex((item) => toWireMessage(api, parseRange(body, item))?.origin !== "model");
  return first === -1 ? items.length : first;
}

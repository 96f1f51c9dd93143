import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { type Answer, type ForwardOptions, sendRequest } from "../forward/forward-request.ts";
import type { Tee } from "../forward/tee.ts";
import type { ArrivedRequest } from "../observe/exchange.ts";
import type { PassedReason, ProxyEvent } from "../proxy-event.ts";
import type { StartedObserver } from "../start-observer.ts";
import { applySplices, type Splice } from "../wire/splice.ts";
import { isPaidByKey } from "../wire/wire-apis.ts";

export interface StoredOptions extends Omit<ForwardOptions, "body" | "length"> {
  readonly arrived: ArrivedRequest;
  readonly observer: Pick<StartedObserver, "plan">;
  /** Takes the body as it arrives. */
  readonly request: Tee;
  readonly editMs: number;
  readonly onEvent: (event: ProxyEvent) => void;
}

/** An answer, with what became of the request. */
export interface StoredAnswer {
  readonly answer: Answer;
  /** The body that the service accepted instead of the client's. */
  readonly edited?: Buffer;
  readonly edits?: "refused";
}

/**
 * Sends a request with its large new results replaced. The body is read as a whole first. Any doubt, a deadline or an error: it goes as it
 * is. A request that the service refuses with its replacements is sent once more without.
 */
export async function sendStored(client: ServerResponse, options: StoredOptions): Promise<StoredAnswer> {
  const { incoming, arrived, observer, request, editMs, onEvent, ...forwarding } = options;
  const send = (body: ForwardOptions["body"], length?: "changed"): Promise<Answer> =>
    sendRequest(client, { ...forwarding, incoming, body, length });
  const passed = whyNot(incoming.headers);
  if (passed !== undefined) {
    onEvent({ kind: "passed", ...passed });
    const answer = send(incoming);
    incoming.on("data", request.add);
    return { answer: await answer };
  }
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      request.add(chunk);
    }
  } catch {
    return { answer: { kind: "gone" } };
  }
  const body = Buffer.concat(chunks);
  const splices = typeof request.chunks() === "string" ? [] : await planInTime(options, chunks);
  if (splices.length === 0) return { answer: await send(body) };
  const edited = applySplices(body, splices);
  const answer = await send(edited, "changed");
  if (answer.kind !== "answer" || answer.message.statusCode !== 400) return { answer, edited };
  answer.message.resume();
  onEvent({ kind: "passed", why: "refused", detail: `${arrived.upstream} refused a request with stored results` });
  return { answer: await send(body), edits: "refused" };
}

/** Why a request is never changed. */
function whyNot(headers: IncomingHttpHeaders): { readonly why: PassedReason; readonly detail: string } | undefined {
  if (!isPaidByKey(headers)) return { why: "no-key", detail: "only requests that are paid by API key are changed" };
  // Packed bytes have no places to put something else.
  if (headers["content-encoding"] === undefined) return undefined;
  return { why: "unreadable", detail: "compressed requests are not changed" };
}

async function planInTime(
  { observer, arrived, editMs, onEvent }: StoredOptions,
  chunks: readonly Buffer[],
): Promise<readonly Splice[]> {
  const planned = await observer.plan(arrived, chunks, editMs);
  if (planned === undefined) onEvent({ kind: "passed", why: "too-slow", detail: `no plan within ${editMs} ms` });
  return planned ?? [];
}

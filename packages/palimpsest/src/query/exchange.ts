import type { Session } from "../session/session.ts";
import { WindowFullError } from "../session/session-errors.ts";
import type { TurnEnd } from "./query-event.ts";
import { type SendOptions, type Sent, sendWithRetries } from "./send-with-retries.ts";

export interface ExchangeOptions<Request, Response> extends SendOptions<Request, Response> {
  readonly session: Pick<Session<Request, Response>, "prepare" | "recover">;
}

export type Exchanged<Request, Response> =
  | { readonly kind: "response"; readonly response: Response; readonly request: Request }
  | Exclude<Sent<Response>, { kind: "response" }>
  | WindowFull;

type Aborted = Extract<Sent<unknown>, { kind: "aborted" }>;
type WindowFull = Extract<TurnEnd, { kind: "window-full" }>;

/**
 * A request and its response. Where the provider finds it too long, the conversation is made smaller, and there is another
 * request: once for each, and the session says when it has been refused too often.
 */
export async function exchange<Request, Response>(
  options: ExchangeOptions<Request, Response>,
): Promise<Exchanged<Request, Response>> {
  const { session, signal } = options;
  for (;;) {
    const prepared = await prepareOrEnd(session, signal);
    if (prepared.kind !== "request") return prepared;
    const { request } = prepared;
    const sent = await sendWithRetries(request, options);
    if (sent.kind === "response") return { ...sent, request };
    if (sent.kind !== "failed" || sent.error.failure.kind !== "overflow") return sent;
    const recovery = await session.recover(sent.error, signal);
    if (signal.aborted) return { kind: "aborted", text: "" };
    if (recovery.kind === "give-up") return { ...sent, advice: recovery.why };
  }
}

async function prepareOrEnd<Request>(
  session: Pick<Session<Request, never>, "prepare">,
  signal: AbortSignal,
): Promise<{ readonly kind: "request"; readonly request: Request } | Aborted | WindowFull> {
  try {
    return { kind: "request", request: await session.prepare({ signal }) };
  } catch (error) {
    if (signal.aborted) return { kind: "aborted", text: "" };
    if (!WindowFullError.isInstance(error)) throw error;
    const { sizeTokens, blockingTokens, windowTokens, message: advice } = error;
    return { kind: "window-full", sizeTokens, blockingTokens, windowTokens, advice };
  }
}

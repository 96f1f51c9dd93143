import { WindowFullError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import type { TurnEnd } from "../turn/permission.ts";
import { type SendOptions, sendWithRetries } from "../turn/send.ts";

export interface ExchangeOptions extends Omit<SendOptions, "provider"> {
  readonly session: Pick<Session, "provider" | "prepare" | "recover" | "turn">;
}

export type Exchanged =
  | { readonly kind: "response"; readonly response: unknown; readonly request: unknown }
  | Extract<TurnEnd, { kind: "aborted" | "window-full" | "failed" }>;

type Aborted = Extract<TurnEnd, { kind: "aborted" }>;
type WindowFull = Extract<TurnEnd, { kind: "window-full" }>;

/** Failures that a change of the conversation can fix. */
const RECOVERABLE: readonly string[] = ["overflow", "media-refused"];

/**
 * Sends a request and records its response. An interrupted answer is recorded here, too: a consumer that stops pulling events
 * waits for it. If the provider finds the request too long, the conversation is compacted; if it refuses an image or a
 * document, a stub replaces it. Then another request is sent: once for each reason, and the session says when it was refused
 * too often.
 */
export async function exchange(options: ExchangeOptions): Promise<Exchanged> {
  const { session, signal } = options;
  for (;;) {
    const prepared = await prepareOrEnd(session, signal);
    if (prepared.kind !== "request") return prepared;
    const { request } = prepared;
    const sent = await sendWithRetries(request, {
      ...options,
      provider: session.provider,
      onVoid: async (partial) => void (await session.turn.recordInterrupted(partial, request, { view: "left-out" })),
    });
    if (sent.kind === "response") return { ...sent, request };
    if (sent.kind === "aborted") {
      const { partial } = sent;
      if (partial !== "not-asked")
        await session.turn.recordInterrupted(partial === "nothing-arrived" ? { text: "" } : partial, request);
      return { kind: "aborted" };
    }
    const { partial, ...failed } = sent;
    if (!RECOVERABLE.includes(failed.error.failure.kind)) {
      // Text that the user has seen stays in the log: a later message may refer to it.
      const view = partial?.text.trim() ? "kept" : "left-out";
      if (partial !== undefined) await session.turn.recordInterrupted(partial, request, { view });
      return failed;
    }
    const recovery = await session.recover(failed.error, signal);
    if (signal.aborted) return { kind: "aborted" };
    if (recovery.kind === "give-up") return { ...failed, advice: recovery.why };
  }
}

async function prepareOrEnd(
  session: Pick<Session, "prepare">,
  signal: AbortSignal,
): Promise<{ readonly kind: "request"; readonly request: unknown } | Aborted | WindowFull> {
  try {
    return { kind: "request", request: await session.prepare({ signal, answer: "streamed" }) };
  } catch (error) {
    if (signal.aborted) return { kind: "aborted" };
    if (!WindowFullError.isInstance(error)) throw error;
    const { sizeTokens, blockingTokens, windowTokens, message: advice } = error;
    return { kind: "window-full", sizeTokens, blockingTokens, windowTokens, advice };
  }
}

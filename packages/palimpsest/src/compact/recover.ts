// Answers refusals of requests: too long, or with media that the provider refuses.

import { toDraft } from "../log/entry.ts";
import type { OverflowPayload } from "../log/payload-compaction.ts";
import { findRefused, mediaIn, omitMedia, planByteFit, type ShownMedia } from "../media/media.ts";
import { type MediaRefusal, readMediaRefusal } from "../providers/media-refusal.ts";
import { readOverflow } from "../providers/overflow.ts";
import { ProviderError } from "../providers/provider.ts";
import type { MediaRefused } from "../session-event.ts";
import type { SessionCore } from "../state/core.ts";
import type { IssuedRequests, Sizes } from "../state/ports.ts";
import type { Compactions } from "./compaction.ts";
import type { Recovery } from "./outcome.ts";

/** The parts of a session that recovering needs. */
export interface RecoveryParts extends Pick<SessionCore, "state" | "settings" | "ports"> {
  readonly outlet: Pick<IssuedRequests, "newestRequest" | "newestBody" | "sizeBytes">;
  readonly measures: Pick<Sizes, "budget" | "forecast">;
  readonly compactions: Pick<Compactions, "compact" | "announceFirst">;
}

/** The limit of refusals in a row. Each refusal makes the conversation half as large. */
const MAX_REFUSALS = 6;

/**
 * Answers refusals of requests. If a request was too long, it learns from the numbers of the refusal, and makes the conversation
 * smaller. If media were refused, it shows stubs instead.
 */
export class Recoveries {
  readonly #parts: RecoveryParts;
  /** The view that was sent again without a change. */
  #retriedView: number | undefined;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  async recover(error: unknown, signal?: AbortSignal): Promise<Recovery> {
    const { settings } = this.#parts;
    const refusal = ProviderError.isInstance(error) ? error.failure : readMediaRefusal(error);
    if (refusal?.kind === "media-refused") {
      const count = await this.#leaveOutRefused(refusal, messageOf(error));
      if (count > 0) return { kind: "retry", mediaLeftOut: count };
      return { kind: "give-up", why: `the provider refused an ${refusal.media}, and the conversation shows none` };
    }
    const overflow = overflowOf(error);
    if (overflow === undefined) return { kind: "give-up", why: "the request was not refused as too long" };
    if (isByBytes(error)) {
      const count = await this.#leaveOutLargest();
      if (count > 0) return { kind: "retry", mediaLeftOut: count };
    }
    if (settings.current.compaction === "off") {
      const why = "the setting `compaction` is off: compact by hand, rewind, or take a model with a larger window";
      return { kind: "give-up", why };
    }
    return this.#makeSmaller(overflow, signal);
  }

  async #makeSmaller(overflow: OverflowPayload, signal: AbortSignal | undefined): Promise<Recovery> {
    const { state, outlet, measures, compactions } = this.#parts;
    await state.inOrder(() => state.append([toDraft("overflow", { ...overflow, request: outlet.newestRequest() })]));
    const { overflows } = state.carriedState;
    if (overflows > MAX_REFUSALS) {
      return { kind: "give-up", why: `the provider has refused ${overflows} requests in a row as too long` };
    }
    // Some servers refuse a request that fits if the answer that it asks for does not fit. Now that the size is known, the next
    // request asks for a shorter answer. This happens once; or once for each view, if the refusal says that the input fits.
    // Other servers name a size that is only the smallest that they would refuse.
    const { inputTokens = Number.POSITIVE_INFINITY, limitTokens = 0 } = overflow;
    const { changedAt } = state.view;
    const isFirst = overflows === 1 || (inputTokens < limitTokens && this.#retriedView !== changedAt);
    if (isFirst && inputTokens < measures.budget().autoCompactTokens) {
      this.#retriedView = changedAt;
      return { kind: "retry" };
    }
    const forecast = measures.forecast("the provider has refused the request as too long");
    await compactions.announceFirst(forecast);
    const outcome = await compactions.compact({ trigger: "reactive", forecast }, { signal });
    if (outcome.kind === "compacted") return { kind: "retry", compaction: outcome };
    return { kind: "give-up", why: outcome.kind === "aborted" ? "it was aborted" : outcome.why };
  }

  /** Leaves out the media that a refusal names. Resolves to their number. */
  #leaveOutRefused(refusal: MediaRefusal, message: string): Promise<number> {
    const { state, outlet } = this.#parts;
    return state.inOrder(() => {
      const acceptedTo = state.ledger.sources["main"]?.previous?.request ?? 0;
      const left = findRefused(mediaIn(state.view.items), refusal, { body: outlet.newestBody(), acceptedTo });
      return this.#leaveOut(left, { why: firstLine(message), problem: refusal.problem, by: "provider" });
    });
  }

  /** The request had too many bytes, and the limit is unknown: leaves out media until the request is half as large. */
  #leaveOutLargest(): Promise<number> {
    const { state, outlet } = this.#parts;
    return state.inOrder(() => {
      const left = planByteFit(mediaIn(state.view.items), outlet.sizeBytes() / 2);
      return this.#leaveOut(left, { why: "the request had too many bytes", problem: "too-large", by: "provider" });
    });
  }

  async #leaveOut(left: readonly ShownMedia[], how: Pick<MediaRefused, "why" | "problem" | "by">): Promise<number> {
    const { decisions, newEvents } = omitMedia(left, how);
    if (decisions.length > 0) await this.#parts.state.append(decisions.map((one) => toDraft("replace", one)));
    newEvents.forEach(this.#parts.ports.emit);
    return left.length;
  }
}

const MAX_CHARACTERS = 200;

/** What the provider said, short enough for a stub. */
function firstLine(message: string): string {
  const [line = ""] = message.split("\n");
  return line.slice(0, MAX_CHARACTERS).toWellFormed().replace(/\.$/, "");
}

function overflowOf(error: unknown): OverflowPayload | undefined {
  const overflow = ProviderError.isInstance(error) ? error.failure : readOverflow(error);
  if (overflow?.kind !== "overflow") return undefined;
  const { inputTokens, limitTokens, by } = overflow;
  // Limits of bytes say nothing about tokens.
  if (by === "bytes") return {};
  return { inputTokens, limitTokens };
}

function isByBytes(error: unknown): boolean {
  const failure = ProviderError.isInstance(error) ? error.failure : readOverflow(error);
  return failure?.kind === "overflow" && failure.by === "bytes";
}

/** Without the provider's name, which stands before it in an error of ours. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return ProviderError.isInstance(error) ? error.message.replace(`${error.provider}: `, "") : error.message;
}

import { toDraft } from "../log/draft.ts";
import type { OverflowPayload } from "../log/payload-compaction.ts";
import { findRefused, omitMedia } from "../media/media.ts";
import { planByteFit } from "../media/stage.ts";
import { type MediaRefusal, readMediaRefusal } from "../providers/media-refusal.ts";
import { readOverflow } from "../providers/overflow.ts";
import { ProviderError } from "../providers/provider.ts";
import type { MediaRefused } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import type { SessionContext } from "../state/context.ts";
import type { Requests } from "../state/ports.ts";
import { mediaIn, type ShownMedia } from "../view/media.ts";
import type { AutoCompaction, Compactions } from "./compaction.ts";
import type { Recovery } from "./outcome.ts";

/** Makes a conversation sendable whose images or documents were refused. Each resolves to how many were left out. */
interface MediaRecovery {
  /** @param message what the provider said */
  afterRefusal(refusal: MediaRefusal, message: string): Promise<number>;
  /** The request had too many bytes, and nobody knows how many are taken. */
  afterTooManyBytes(): Promise<number>;
}

export function createMediaRecovery(
  { state, emit }: SessionContext,
  { newestBody, sizeBytes }: Pick<Requests, "newestBody" | "sizeBytes">,
): MediaRecovery {
  async function leaveOut(
    left: readonly ShownMedia[],
    how: Pick<MediaRefused, "why" | "problem" | "by">,
  ): Promise<number> {
    const { decisions, newEvents } = omitMedia(left, how);
    if (decisions.length > 0) await state.append(decisions.map((one) => toDraft("replace", one)));
    newEvents.forEach(emit);
    return left.length;
  }
  return {
    afterRefusal: (refusal, message) =>
      state.inOrder(() => {
        const acceptedTo = state.ledger.sources["main"]?.previous?.request ?? 0;
        const left = findRefused(mediaIn(state.view.items), refusal, { body: newestBody(), acceptedTo });
        return leaveOut(left, { why: firstLine(message), problem: refusal.problem, by: "provider" });
      }),
    afterTooManyBytes: () =>
      state.inOrder(() => {
        // As a compaction after a refusal: half as large each time, until it is taken.
        const left = planByteFit(mediaIn(state.view.items), sizeBytes() / 2);
        return leaveOut(left, { why: "the request had too many bytes", problem: "too-large", by: "provider" });
      }),
  };
}

const MAX_CHARACTERS = 200;

/** What the provider said, short enough for a stub. */
function firstLine(message: string): string {
  const [line = ""] = message.split("\n");
  return line.slice(0, MAX_CHARACTERS).toWellFormed().replace(/\.$/, "");
}

export interface RecoveryParts {
  readonly requests: Pick<Requests, "budget" | "newestRequest" | "forecast">;
  readonly compactions: Compactions;
  readonly automatic: Pick<AutoCompaction, "announceFirst">;
  readonly media: MediaRecovery;
}

/** So many refusals in a row: each time the conversation was made half as large. */
const MAX_REFUSALS = 6;

/**
 * Answers a refusal of a request. Too long: learns from its numbers, and makes the conversation smaller. Media that are not
 * taken: shows them as stubs.
 */
export function createRecovery(
  { state, settings }: SessionContext,
  { requests, compactions, automatic, media }: RecoveryParts,
): (error: unknown, signal?: AbortSignal) => Promise<Recovery> {
  const { budget, newestRequest } = requests;
  /** The view that was sent again as it was. */
  let retriedView: number | undefined;
  return async (error, signal) => {
    const refusal = ProviderError.isInstance(error) ? error.failure : readMediaRefusal(error);
    if (refusal?.kind === "media-refused") {
      const count = await media.afterRefusal(refusal, messageOf(error));
      if (count > 0) return { kind: "retry", mediaLeftOut: count };
      return { kind: "give-up", why: `the provider refused an ${refusal.media}, and the conversation shows none` };
    }
    const overflow = overflowOf(error);
    if (overflow === undefined) return { kind: "give-up", why: "the request was not refused as too long" };
    if (isByBytes(error)) {
      const count = await media.afterTooManyBytes();
      if (count > 0) return { kind: "retry", mediaLeftOut: count };
    }
    const off = switchedOff(settings());
    if (off !== undefined) {
      return { kind: "give-up", why: `${off} is off: compact by hand, rewind, or take a model with a larger window` };
    }
    await state.inOrder(async () => {
      await state.append([toDraft("overflow", { ...overflow, ...requestOf(newestRequest()) })]);
    });
    const { overflows } = state.carriedState;
    if (overflows > MAX_REFUSALS) {
      return { kind: "give-up", why: `the provider has refused ${overflows} requests in a row as too long` };
    }
    // Some servers refuse a request that fits when the answer it asks for does not. Now that its size is known, the next asks
    // for less. Once only, and once for each view where the refusal itself says that the input fits: others name a size
    // that is merely the smallest they would refuse.
    const { inputTokens = Number.POSITIVE_INFINITY, limitTokens = 0 } = overflow;
    const { changedAt } = state.view;
    const isFirst = overflows === 1 || (inputTokens < limitTokens && retriedView !== changedAt);
    if (isFirst && inputTokens < budget().autoCompactTokens) {
      retriedView = changedAt;
      return { kind: "retry" };
    }
    const forecast = requests.forecast("the provider has refused the request as too long");
    await automatic.announceFirst(forecast);
    const outcome = await compactions.compact(
      { trigger: "reactive", forecast },
      signal === undefined ? {} : { signal },
    );
    if (outcome.kind === "compacted") return { kind: "retry", compaction: outcome };
    return { kind: "give-up", why: outcome.kind === "aborted" ? "it was aborted" : outcome.why };
  };
}

function overflowOf(error: unknown): OverflowPayload | undefined {
  const overflow = ProviderError.isInstance(error) ? error.failure : readOverflow(error);
  if (overflow?.kind !== "overflow") return undefined;
  const { inputTokens, limitTokens, by } = overflow;
  // Limits of bytes say nothing about tokens.
  if (by === "bytes") return {};
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(limitTokens === undefined ? {} : { limitTokens }),
  };
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

function switchedOff(settings: Settings): string | undefined {
  if (settings["compaction.enabled"] === "off") return "compaction.enabled";
  if (settings["compaction.auto"] === "off") return "compaction.auto";
  return settings["compaction.reactive"] === "off" ? "compaction.reactive" : undefined;
}

function requestOf(request: number | undefined): Pick<OverflowPayload, "request"> {
  return request === undefined ? {} : { request };
}

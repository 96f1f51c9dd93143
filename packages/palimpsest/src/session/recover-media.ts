import { toDraft } from "../log/to-draft.ts";
import { findRefused } from "../media/media.ts";
import { planByteFit } from "../media/stage.ts";
import type { MediaRefusal } from "../providers/media-refusal.ts";
import type { MediaRefused } from "../session-event.ts";
import { mediaIn, type ShownMedia } from "../stages/media/media-in.ts";
import { omitMedia } from "../stages/media/omit-media.ts";
import type { SessionContext } from "../state/context.ts";
import type { Requests } from "../state/ports.ts";

/** Makes a conversation sendable whose images or documents were refused. Each resolves to how many were left out. */
export interface MediaRecovery {
  /** @param message what the provider said */
  afterRefusal(refusal: MediaRefusal, message: string): Promise<number>;
  /** The request had too many bytes, and nobody knows how many are taken. */
  afterTooManyBytes(): Promise<number>;
}

export function createMediaRecovery<Request, Response, Message>(
  { state, emit }: SessionContext<Request, Response, Message>,
  { newestBody, sizeBytes }: Pick<Requests<Request>, "newestBody" | "sizeBytes">,
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

import type { Media } from "../log/block.ts";
import { toDraft } from "../log/draft.ts";
import { NOTHING_TO_DO, type StageContext, type StageDecision } from "../policy/stage.ts";
import { grouped } from "../text.ts";
import type { ShownMedia } from "../view/media.ts";
import { omitMedia } from "./media.ts";

/** Leaves out the oldest media of a request with too many bytes: providers limit bytes as well as tokens. */
export async function fitBytes({ bytes, maxRequestBytes }: StageContext): Promise<StageDecision> {
  if (maxRequestBytes === undefined || bytes.totalBytes <= maxRequestBytes * FILLED_SHARE) return NOTHING_TO_DO;
  const left = planByteFit(bytes.media, bytes.totalBytes - maxRequestBytes * FREED_SHARE);
  if (left.length === 0) return NOTHING_TO_DO;
  const size = `${grouped(bytes.totalBytes)} bytes of ${grouped(maxRequestBytes)} that the provider takes`;
  const why = `the request had ${size}`;
  const { decisions, newEvents } = omitMedia(left, { why, problem: "too-large", by: "request-size" });
  return { drafts: decisions.map((one) => toDraft("replace", one)), newEvents };
}

/** The share of the limit that a request may fill. The provider's format of a request differs from ours by some bytes. */
const FILLED_SHARE = 0.97;
/** The share of the limit that is left in use. Each omission loses the cached prompt from that item on, so make room for later media. */
const FREED_SHARE = 0.75;

/** Returns the oldest media that together have at least this many bytes; all media if they have fewer. */
export function planByteFit(media: readonly ShownMedia[], excessBytes: number): readonly ShownMedia[] {
  const left: ShownMedia[] = [];
  let excess = excessBytes;
  for (const one of media) {
    if (excess <= 0) break;
    const bytes = bytesOf(one.media);
    if (bytes === 0) continue;
    left.push(one);
    excess -= bytes;
  }
  return left;
}

function bytesOf({ source }: Media): number {
  return source.kind === "base64" ? source.data.length : 0;
}

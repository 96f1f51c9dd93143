import type { Media } from "../log/block.ts";
import { toDraft } from "../log/draft.ts";
import { NOTHING_TO_DO, type StageContext, type StageDecision } from "../policy/stage.ts";
import { grouped } from "../text.ts";
import type { ShownMedia } from "../view/media.ts";
import { omitMedia } from "./media.ts";

/** Leaves out media that make a request too large, the oldest first: providers limit bytes as well as tokens. */
export async function fitBytes({ bytes, maxRequestBytes }: StageContext): Promise<StageDecision> {
  if (maxRequestBytes === undefined || bytes.totalBytes <= maxRequestBytes * FILLED_SHARE) return NOTHING_TO_DO;
  const left = planByteFit(bytes.media, bytes.totalBytes - maxRequestBytes * FREED_SHARE);
  if (left.length === 0) return NOTHING_TO_DO;
  const size = `${grouped(bytes.totalBytes)} bytes of ${grouped(maxRequestBytes)} that the provider takes`;
  const why = `the request had ${size}`;
  const { decisions, newEvents } = omitMedia(left, { why, problem: "too-large", by: "request-size" });
  return { drafts: decisions.map((one) => toDraft("replace", one)), newEvents };
}

/** Our format of a request differs from the provider's by some bytes. */
const FILLED_SHARE = 0.97;
/** Each time the cached prompt is lost from the first omitted item on, so make room for a while. */
const FREED_SHARE = 0.75;

/** Returns the oldest media with this many bytes together; all of them if they have less. */
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

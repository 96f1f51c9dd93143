// Pins texts, so that they stay in view through every compaction.

import { NoSuchEntryError, PinTooLargeError } from "../errors.ts";
import { readPayload, toDraft } from "../log/entry.ts";
import { attachment } from "../log/messages.ts";
import { HOST, OUTSIDE, type Provenance, provenanceOf } from "../log/provenance.ts";
import { entryText } from "../log/search-text.ts";
import type { SessionCore } from "../state/core.ts";
import type { Sizes } from "../state/ports.ts";
import { measuresOf } from "../state/state.ts";

/** The share of the window that all pins together may take. */
const MAX_SHARE = 0.1;

/** The parts of a session that pinning needs. */
interface PinParts extends SessionCore {
  readonly measures: Pick<Sizes, "budget">;
}

/**
 * Pins a text. It stays in view through every compaction, byte for byte.
 * @param target a text, which the model sees at once, or the number of an entry whose text stays in view
 */
export async function pin(parts: PinParts, target: string | number): Promise<number> {
  const { state } = parts;
  if (typeof target === "string") {
    checkSize(parts, target);
    const [number] = await state.append([
      toDraft("pin", { text: target }),
      toDraft("attachment", attachment("pin", target, HOST)),
    ]);
    return number!;
  }
  const [entry] = await state.log.read(target, target);
  const text = entry && entryText(entry);
  const read = entry && readPayload(entry);
  if (text === undefined || text.trim() === "") throw new NoSuchEntryError(target, "has no text to pin");
  checkSize(parts, text);
  const [number] = await state.append([toDraft("pin", { text, of: target, provenance: originOf(read) })]);
  return number!;
}

export async function unpin({ state }: SessionCore, pin: number): Promise<void> {
  if (!state.carriedState.pins.some(({ entry }) => entry === pin)) {
    throw new NoSuchEntryError(pin, "is not a pin in effect");
  }
  await state.append([toDraft("unpin", { of: pin })]);
}

function checkSize({ state, measures }: PinParts, text: string): void {
  const { countTokens } = measuresOf(state.view);
  const tokens = state.carriedState.pins.reduce((sum, pin) => sum + countTokens(pin.text), countTokens(text));
  const maximumTokens = Math.floor(measures.budget().windowTokens * MAX_SHARE);
  if (tokens > maximumTokens) throw new PinTooLargeError(tokens, maximumTokens);
}

/** Returns the provenance of the pinned entry. It stays that of the author, although the host pins the entry. */
function originOf(read: ReturnType<typeof readPayload> | undefined): Provenance {
  if (read?.kind === "message") return provenanceOf(read.payload);
  return read?.kind === "attachment" ? read.payload.provenance : OUTSIDE;
}

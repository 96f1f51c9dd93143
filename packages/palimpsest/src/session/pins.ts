import { NoSuchEntryError, PinTooLargeError } from "../errors.ts";
import { readPayload, toDraft } from "../log/draft.ts";
import { attachment } from "../log/messages.ts";
import { HOST, OUTSIDE, type Provenance, provenanceOf } from "../log/provenance.ts";
import { entryText } from "../log/search-text.ts";

import type { Budget } from "../size/budget.ts";
import type { Pin } from "../state/carried.ts";
import { measuresOf, type SessionState } from "../state/state.ts";

/** Of the window, what all pins together may take. */
const MAX_SHARE = 0.1;

export interface Pins {
  /** @param what a text, which the model is shown at once, or the number of an entry whose text is to stay */
  pin(what: string | number): Promise<number>;
  unpin(pin: number): Promise<void>;
}

/** What stays in view through every compaction, byte for byte. */
export function createPins(state: SessionState, { budget }: { readonly budget: () => Budget }): Pins {
  function check(text: string): void {
    const { countTokens } = measuresOf(state.view);
    const tokens = state.carriedState.pins.reduce((sum, pin) => sum + countTokens(pin.text), countTokens(text));
    const mostTokens = Math.floor(budget().windowTokens * MAX_SHARE);
    if (tokens > mostTokens) throw new PinTooLargeError(tokens, mostTokens);
  }

  return {
    async pin(what) {
      if (typeof what === "string") {
        check(what);
        const [number] = await state.append([
          toDraft("pin", { text: what }),
          toDraft("attachment", attachment("pin", what, HOST)),
        ]);
        return number!;
      }
      const [entry] = await state.log.read(what, what);
      const text = entry && entryText(entry);
      const read = entry && readPayload(entry);
      if (text === undefined || text.trim() === "")
        throw new NoSuchEntryError(what, "has no text that could be pinned");
      check(text);
      const [number] = await state.append([toDraft("pin", { text, of: what, provenance: originOf(read) })]);
      return number!;
    },

    async unpin(pin) {
      if (!state.carriedState.pins.some(({ entry }: Pin) => entry === pin)) {
        throw new NoSuchEntryError(pin, "is no pin that is in effect now");
      }
      await state.append([toDraft("unpin", { of: pin })]);
    },
  };
}

/** A pinned entry speaks for the one it was written by, not for the host that pins it. */
function originOf(read: ReturnType<typeof readPayload> | undefined): Provenance {
  if (read?.kind === "message") return provenanceOf(read.payload);
  return read?.kind === "attachment" ? read.payload.provenance : OUTSIDE;
}

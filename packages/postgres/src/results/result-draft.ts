import { createHash } from "node:crypto";
import type { ResultDraft } from "palimpsest/store-parts";
import type { Frames } from "../key-ring/frames.ts";
import { type ContentName, type ContentSink, FRAME_BYTES } from "./content.ts";

export interface ResultDraftOptions {
  readonly frames: Frames;
  /** Up to so many bytes wait in memory, until it is known where they go. */
  readonly waitingBytes: number;
  /** Where a content of this size goes, or one that has already so much and no end. */
  sinkFor(bytes: number): ContentSink;
  /** How the database keeps the name of a file. */
  nameOf(file: string): Promise<Omit<ContentName, "bytes">>;
}

/** A result that is being written: cut into pieces, and sent on as soon as it is known where to. */
export function createResultDraft({ frames, waitingBytes, sinkFor, nameOf }: ResultDraftOptions): ResultDraft {
  const hash = createHash("sha256");
  const waiting: Buffer[] = [];
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let bytes = 0;
  let cut = 0;
  let sink: ContentSink | undefined;

  const taken = (): Buffer => {
    const joined = Buffer.concat(held, heldBytes);
    held = [];
    heldBytes = 0;
    return joined;
  };
  const send = async (): Promise<ContentSink> => {
    sink ??= sinkFor(bytes);
    for (const frame of waiting.splice(0)) await sink.write(frame);
    return sink;
  };

  return {
    async write(piece) {
      hash.update(piece);
      // A copy, because the caller uses the bytes again; `slice` of a Buffer would be none.
      held.push(new Uint8Array(piece));
      heldBytes += piece.length;
      bytes += piece.length;
      if (heldBytes < FRAME_BYTES) return;
      const joined = taken();
      let at = 0;
      for (; at + FRAME_BYTES <= joined.length; at += FRAME_BYTES)
        waiting.push(frames.seal(joined.subarray(at, at + FRAME_BYTES), cut++));
      held.push(joined.subarray(at));
      heldBytes = joined.length - at;
      if (bytes > waitingBytes) await send();
    },
    async keep(ending) {
      const digest = hash.digest("hex");
      const file = `${digest}.${ending}`;
      const last = frames.seal(taken(), cut);
      const name = { ...(await nameOf(file)), bytes };
      await (await send()).keep(name, last);
      return { file, digest };
    },
    async discard() {
      taken();
      waiting.length = 0;
      await sink?.discard();
    },
  };
}

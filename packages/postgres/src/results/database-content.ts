import type { ResultContent } from "palimpsest/store-parts";
import type { Frames } from "../key-ring/frames.ts";
import { type ContentSink, keepContent, type SinkOptions } from "./content.ts";
import { ResultDamagedError } from "./result-damaged-error.ts";

/** A content in pieces in the database. One that is a single piece takes one round trip. */
export function databaseContent(options: SinkOptions): ContentSink {
  const { call, content, nowMs } = options;
  let written = 0;
  const discard = async (): Promise<void> => {
    if (written > 0) await call("discard_content", content);
  };
  return {
    async write(frame) {
      await call("write_chunk", content, written++, nowMs(), frame);
    },
    async keep(name, last) {
      const outcome = await keepContent(options, name, { number: written, last });
      if (outcome === "other") await discard();
    },
    discard,
  };
}

export interface DatabaseContentOptions {
  readonly call: SinkOptions["call"];
  readonly content: string;
  readonly bytes: number;
  /** The first piece, which came with the row. */
  readonly first: Buffer;
  readonly frames: Frames;
}

export function readDatabaseContent(options: DatabaseContentOptions): ResultContent {
  const { call, content, bytes, first, frames } = options;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let kept: Buffer | null = first;
    for (let number = 0, left = bytes; ; number++) {
      if (kept === null) throw new ResultDamagedError(`${left} of its ${bytes} bytes were removed meanwhile`);
      const frame = frames.open(kept, number);
      left -= frame.length;
      yield frame;
      if (left <= 0) return;
      const [row] = await call("read_chunk", content, number + 1);
      kept = row?.["read_chunk"] as Buffer | null;
    }
  }
  return { bytes, chunks };
}

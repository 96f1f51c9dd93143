import type { Readable } from "node:stream";

/** The part of an output that is kept: more than any hook needs. */
const KEPT_BYTES = 65_536;
/**
 * An output beyond this is a flood. Reading one was measured at 1.5 GB a second, which leaves the session no time of its own.
 */
const FLOOD_BYTES = 1_048_576;

export interface CollectedOutput {
  /** Resolves at the end of the pipe, which may never come. */
  readonly ended: Promise<void>;
  /** The beginning of the output, without a character that was cut in two. */
  text(): string;
}

/** Reads an output to its end, keeps its beginning, and reports a flood. */
export function collectOutput(pipe: Readable, onFlood: (bytes: number) => void): CollectedOutput {
  const kept: Buffer[] = [];
  let bytes = 0;
  pipe.on("data", (chunk: Buffer) => {
    if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
    bytes += chunk.length;
    if (bytes > FLOOD_BYTES) onFlood(FLOOD_BYTES);
  });
  pipe.on("error", () => undefined);
  return {
    ended: new Promise((resolve) => pipe.once("close", resolve)),
    text: () => new TextDecoder().decode(Buffer.concat(kept), { stream: bytes > KEPT_BYTES }),
  };
}

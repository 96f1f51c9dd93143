import type { Readable } from "node:stream";

/** What is kept of an output: more than any hook has to say. */
const KEPT_BYTES = 65_536;
/** Past this it is a flood. Reading one was measured at 1.5 GB a second, which leaves the session no time of its own. */
const FLOOD_BYTES = 1_048_576;

export interface CollectedOutput {
  /** Resolves when the pipe is at its end, which may be never. */
  readonly ended: Promise<void>;
  /** The beginning; a character that was cut in two is left out. */
  text(): string;
}

/** Reads an output to its end and keeps its beginning; tells when it is a flood. */
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

/** All bytes that the proxy holds to look at them later. */
export interface HeldBytes {
  readonly limitBytes: number;
  heldBytes: number;
}

/** A copy of what goes by, by reference: nothing is done with the bytes while they go. */
export interface Tee {
  add(chunk: Buffer): void;
  /** All chunks, or why they are not kept: this body is too large, or all bodies together are. */
  chunks(): readonly Buffer[] | "too-large" | "too-much";
  /** Gives the memory back. */
  release(): void;
}

export function createTee(held: HeldBytes, limitBytes: number): Tee {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let dropped: "too-large" | "too-much" | undefined;
  const release = (): void => {
    held.heldBytes -= bytes;
    bytes = 0;
    chunks = [];
  };
  return {
    add(chunk) {
      if (dropped !== undefined) return;
      if (bytes + chunk.length > limitBytes) dropped = "too-large";
      else if (held.heldBytes + chunk.length > held.limitBytes) dropped = "too-much";
      if (dropped !== undefined) return release();
      bytes += chunk.length;
      held.heldBytes += chunk.length;
      chunks.push(chunk);
    },
    chunks: () => dropped ?? chunks,
    release,
  };
}

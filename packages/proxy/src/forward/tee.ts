/** All bytes that the proxy holds to look at them later. */
export interface HeldBytes {
  readonly limitBytes: number;
  heldBytes: number;
}

/** A copy of what goes by, by reference: nothing is done with the bytes while they go. */
export interface Tee {
  add(chunk: Buffer): void;
  /** Undefined: too large, or too much was held. */
  chunks(): readonly Buffer[] | undefined;
  /** Gives the memory back. */
  release(): void;
}

export function createTee(held: HeldBytes, limitBytes: number): Tee {
  let chunks: Buffer[] | undefined = [];
  let bytes = 0;
  const release = (): void => {
    held.heldBytes -= bytes;
    bytes = 0;
    chunks = undefined;
  };
  return {
    add(chunk) {
      if (chunks === undefined) return;
      if (bytes + chunk.length > limitBytes || held.heldBytes + chunk.length > held.limitBytes) {
        release();
        return;
      }
      bytes += chunk.length;
      held.heldBytes += chunk.length;
      chunks.push(chunk);
    },
    chunks: () => chunks,
    release,
  };
}

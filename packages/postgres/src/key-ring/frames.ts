/** How the pieces of one content are kept. */
export interface Frames {
  /** By so much a kept piece is longer. */
  readonly addedBytes: number;
  seal(frame: Buffer, number: number): Buffer;
  /** Returns a copy, which the reader may change. */
  open(kept: Uint8Array, number: number): Uint8Array;
}

export const PLAIN_FRAMES: Frames = {
  addedBytes: 0,
  seal: (frame) => frame,
  open: (kept) => new Uint8Array(kept),
};

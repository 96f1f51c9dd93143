/** A part of a body that is replaced by other bytes. All others stay. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** @param splices in the order of the body, none within another */
export function applySplices(body: Buffer, splices: readonly Splice[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of splices) {
    pieces.push(body.subarray(at, start), Buffer.from(text));
    at = end;
  }
  return Buffer.concat([...pieces, body.subarray(at)]);
}

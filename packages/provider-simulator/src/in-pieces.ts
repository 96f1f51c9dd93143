/** Text cut into the chunks a stream would carry: never through a surrogate pair, and at most forty of them. */
export function inPieces(text: string): string[] {
  const pieces: string[] = [];
  const size = Math.max(24, Math.ceil(text.length / 40));
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + size);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

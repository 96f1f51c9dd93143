/** Text that grows as a browser lays it out: spaces are one, lines do not begin with one, and breaks do not add up. */
export interface TextFlow {
  /** Words with any space between them. */
  writeWords(text: string): void;
  /** Exactly as it is. */
  write(text: string): void;
  /** Goes on in a new line, or behind an empty one; not at the beginning. */
  breakLines(lines: 1 | 2): void;
  isAtLineStart(): boolean;
  text(): string;
}

export function createTextFlow(): TextFlow {
  const pieces: string[] = [];
  /** Line ends that the text has behind its last character. */
  let ends = 2;
  let isSpaceDue = false;

  function write(text: string): void {
    if (text === "") return;
    pieces.push(text);
    isSpaceDue = false;
    const behind = /\n{0,2}$/.exec(text.slice(-2))![0].length;
    ends = behind === text.length ? Math.min(2, ends + behind) : behind;
  }

  return {
    write,
    writeWords(text) {
      const words = text.replaceAll(/\s+/g, " ");
      const [isSpaceBefore, isSpaceBehind] = [words.startsWith(" "), words.endsWith(" ")];
      const inner = words.trim();
      if (inner !== "") write(`${(isSpaceDue || isSpaceBefore) && ends === 0 ? " " : ""}${inner}`);
      isSpaceDue = inner === "" ? isSpaceDue || isSpaceBefore : isSpaceBehind;
    },
    breakLines(lines) {
      isSpaceDue = false;
      if (pieces.length > 0 && ends < lines) write("\n".repeat(lines - ends));
    },
    isAtLineStart: () => ends > 0,
    text: () => pieces.join("").trimEnd(),
  };
}

/** Builds text like a browser: collapses spaces, removes them at line starts, and merges line breaks. */
export interface TextFlow {
  /** Adds text with collapsed spaces. */
  writeWords(text: string): void;
  /** Adds text unchanged. */
  write(text: string): void;
  /** Starts a new line or a new paragraph; does nothing at the beginning. */
  breakLines(lines: 1 | 2): void;
  isAtLineStart(): boolean;
  text(): string;
}

export function createTextFlow(): TextFlow {
  const pieces: string[] = [];
  /** The number of line breaks at the end of the text. */
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

// Splits a shell line into words and operators, in one pass. The line may come from a model or from another agent's recording, so no
// backtracking pattern may run on it.

/** A word or an operator of a shell line, with its place in the line. */
export interface ShellToken {
  readonly kind: "word" | "operator";
  /** A word without its quotes and escapes, or the operator with the number of its file descriptor: `&&`, `|`, `2>&`. */
  readonly text: string;
  /**
   * `bare`: nothing in the word is quoted or replaced by the shell. `quoted`: a part is quoted, and nothing is replaced. `open`: the shell
   * would replace a part (`$HOME`, `*.ts`), or a quote is never closed.
   */
  readonly state: "bare" | "quoted" | "open";
  /** Position of the first character. */
  readonly start: number;
  /** Position after the last character. */
  readonly end: number;
}

/** Operators, the longest first. A line break ends a command and counts as an operator. */
const OPERATORS: readonly string[] = [
  ...["&>>", "<<<", "<<-", ";;&"],
  ...["&&", "||", "|&", ";;", ";&", "&>", ">>", ">&", ">|", "<<", "<&", "<>"],
  ...["|", "&", ";", "(", ")", "<", ">", "\n"],
];
const OPERATOR_STARTS = new Set(OPERATORS.map((operator) => operator.charAt(0)));
/** Outside of quotes, the shell replaces or interprets words with these characters. */
const REPLACED = new Set("$`*?[]{}!^#\\");
/** Inside double quotes. */
const REPLACED_IN_QUOTES = new Set("$`\\");

/** Returns the words and operators of a shell line. Takes any text, in time that grows with its length alone. */
export function shellTokens(line: string): readonly ShellToken[] {
  const tokens: ShellToken[] = [];
  let at = 0;
  while (at < line.length) {
    const character = line.charAt(at);
    if (character === " " || character === "\t" || character === "\r") {
      at++;
      continue;
    }
    const token = OPERATOR_STARTS.has(character) ? operatorAt(line, at, at) : wordAt(line, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function operatorAt(line: string, start: number, from: number): ShellToken {
  const text = OPERATORS.find((operator) => line.startsWith(operator, from)) ?? line.charAt(from);
  const end = from + text.length;
  return { kind: "operator", text: line.slice(start, end), state: "bare", start, end };
}

function wordAt(line: string, start: number): ShellToken {
  const parts: string[] = [];
  let state: ShellToken["state"] = "bare";
  let at = start;
  for (; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "'" || character === '"') {
      const end = closingQuote(line, at);
      const inside = line.slice(at + 1, end);
      if (end === line.length || (character === '"' && hasAny(inside, REPLACED_IN_QUOTES))) state = "open";
      else if (state === "bare") state = "quoted";
      parts.push(inside);
      at = end;
    } else if (character === "\\") {
      state = "open";
      at++;
      parts.push(line.charAt(at));
    } else if (character === " " || character === "\t" || character === "\r" || OPERATOR_STARTS.has(character)) {
      // `2>&1`: the digits belong to the operator.
      const isDescriptor = (character === "<" || character === ">") && state === "bare" && isDigits(parts);
      if (isDescriptor) return operatorAt(line, start, at);
      break;
    } else {
      if (REPLACED.has(character)) state = "open";
      parts.push(character);
    }
  }
  return { kind: "word", text: parts.join(""), state, start, end: Math.min(at, line.length) };
}

/** Returns the position of the quote that closes the one at `start`, or the end of the line. */
function closingQuote(line: string, start: number): number {
  const quote = line.charAt(start);
  for (let at = start + 1; at < line.length; at++) {
    if (line.charAt(at) === quote) return at;
    if (quote === '"' && line.charAt(at) === "\\") at++;
  }
  return line.length;
}

function hasAny(text: string, characters: ReadonlySet<string>): boolean {
  for (const character of text) if (characters.has(character)) return true;
  return false;
}

/** File descriptors have few digits; a longer number is a word. */
function isDigits(parts: readonly string[]): boolean {
  return parts.length > 0 && parts.length < 6 && parts.every((part) => part >= "0" && part <= "9" && part.length === 1);
}

/** What a user types: the user's own words, and the words of others that the user pasted or quoted. */
export interface Voices {
  readonly own: string;
  readonly quoted: string;
}

const FENCED = /(^|\n)[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\2|$)/g;
const QUOTED_LINE = /(^|\n)[ \t]*>[^\n]*/g;
/** Three words or more: a shorter one is a name or a label. */
const QUOTED_WORDS =
  /(?:"([^"\n]+)"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|(?<=^|[\s(:])'([^'\n]+(?: [^'\n]+){2,})'(?=$|[\s.,;:!?)]))/g;

/** Separates pasted blocks, quoted lines and quotations from the rest of a message. */
export function voicesIn(text: string): Voices {
  const quoted: string[] = [];
  const without = (pattern: RegExp, from: string): string =>
    from.replace(pattern, (match, ...groups: unknown[]) => {
      if (pattern === QUOTED_WORDS && match.trim().split(/\s+/).length < 3) return match;
      quoted.push(match);
      return pattern === QUOTED_WORDS ? " … " : typeof groups[0] === "string" ? groups[0] : "";
    });
  const own = without(QUOTED_WORDS, without(QUOTED_LINE, without(FENCED, text)));
  return { own, quoted: quoted.join("\n") };
}

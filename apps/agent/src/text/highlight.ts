import type { Look, Span } from "./line.ts";

/** Keywords that many languages share. Each line is highlighted on its own, whatever its language. */
const KEYWORDS = new Set(
  (
    "abstract and as async await break case catch class const continue def default defer del do elif else end enum except " +
    "export extends extern false finally fn for from func function global go goto if impl implements import in instanceof " +
    "interface is lambda let loop match mod module mut new nil none not null or package pass private protected pub public " +
    "raise readonly ref require return self static struct super switch then this throw trait true try type typeof undefined " +
    "union unless unsafe until use using var void where while with yield None True False"
  ).split(" "),
);
const COMMENT: Readonly<Record<string, RegExp>> = { hash: /#.*/y, slashes: /\/\/.*|\/\*.*?(\*\/|$)/y, dashes: /--.*/y };
const STRING = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?/y;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\w.]*/y;

const HASH_LANGUAGES =
  /^(py|python|sh|bash|shell|zsh|fish|rb|ruby|yaml|yml|toml|ini|make|makefile|dockerfile|r|perl|pl)$/;
const DASH_LANGUAGES = /^(sql|lua|haskell|hs|elm)$/;

/** Splits a line of code into comments, strings, numbers and common keywords. */
export function highlight(line: string, language: string): readonly Span[] {
  const words = language.toLowerCase();
  if (words === "diff" || words === "patch") return [{ text: line, ...diffLook(line) }];
  const comment = HASH_LANGUAGES.test(words)
    ? COMMENT["hash"]!
    : DASH_LANGUAGES.test(words)
      ? COMMENT["dashes"]!
      : COMMENT["slashes"]!;
  const spans: Span[] = [];
  let rest = "";
  const flush = (): void => {
    if (rest !== "") spans.push({ text: rest });
    rest = "";
  };
  for (let at = 0; at < line.length; ) {
    const found = at < line.length ? pieceAt(line, at, comment) : undefined;
    if (found === undefined) {
      rest += line[at];
      at++;
      continue;
    }
    if (found.look === undefined) rest += found.text;
    else {
      flush();
      spans.push({ text: found.text, ...found.look });
    }
    at += found.text.length;
  }
  flush();
  return spans;
}

function diffLook(line: string): Look {
  if (line.startsWith("+")) return { color: "good" };
  if (line.startsWith("-")) return { color: "bad" };
  return line.startsWith("@@") ? { color: "tool" } : {};
}

function pieceAt(
  line: string,
  at: number,
  comment: RegExp,
): { readonly text: string; readonly look?: Look } | undefined {
  const take = (expression: RegExp): string | undefined => {
    const fresh = new RegExp(expression);
    fresh.lastIndex = at;
    return fresh.exec(line)?.[0] || undefined;
  };
  const said = take(comment);
  if (said !== undefined) return { text: said, look: { color: "quiet" } };
  const string = take(STRING);
  if (string !== undefined) return { text: string, look: { color: "string" } };
  const word = take(WORD);
  if (word !== undefined) return KEYWORDS.has(word) ? { text: word, look: { color: "keyword" } } : { text: word };
  const number = take(NUMBER);
  return number === undefined ? undefined : { text: number, look: { color: "code" } };
}

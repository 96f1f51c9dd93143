import { createRequire } from "node:module";
import type { Lexer, Token } from "marked";
import type { Line, Look, Span } from "./line.ts";

/** Nothing else can begin a part with a look of its own. */
const MARKS = /[*_~`[<\\]|https?:/;
const WORD_END = /[\p{L}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;

const load = createRequire(import.meta.url);

/**
 * Reads bold, italic, struck-out text, code and links in one line of Markdown. The parser is loaded with the first line that needs it.
 * Where its rules would eat letters of a name or a formula, as in `__init__` or `a*b*c`, the text stays as it is.
 */
export function inlineMarkdown(text: string, look: Look = {}): Line {
  if (text === "") return [];
  if (!MARKS.test(text)) return [{ text, ...look }];
  const { Lexer: Reader } = load("marked") as { readonly Lexer: typeof Lexer };
  return spansOf(new Reader({ gfm: true }).inlineTokens(text), look);
}

function spansOf(tokens: readonly Token[], look: Look): Line {
  return tokens.flatMap((token, index): readonly Span[] => {
    const around = [tokens[index - 1]?.raw ?? "", tokens[index + 1]?.raw ?? ""] as const;
    return spansOfToken(token, look, around);
  });
}

function spansOfToken(token: Token, look: Look, around: readonly [before: string, after: string]): Line {
  const { raw } = token;
  const inner = "tokens" in token && token.tokens !== undefined ? (token.tokens as readonly Token[]) : [];
  switch (token.type) {
    case "strong":
    case "em": {
      if (isName(raw, around)) return [{ text: raw, ...look }];
      return spansOf(inner, token.type === "em" ? { ...look, slant: "italic" } : { ...look, weight: "bold" });
    }
    case "del":
      return raw.startsWith("~~") ? spansOf(inner, { ...look, mark: "struck" }) : [{ text: raw, ...look }];
    case "codespan":
      return [{ text: String(token["text"]), ...look, color: "code" }];
    case "escape":
      return [{ text: String(token["text"]), ...look }];
    case "link":
      return link(inner, String(token["href"]), raw, look);
    default:
      return [{ text: raw, ...look }];
  }
}

/** `__init__` and `_private_` are names; emphasis of several words is not. A star inside a word multiplies. */
function isName(raw: string, [before, after]: readonly [string, string]): boolean {
  if (raw.startsWith("_")) return !/\s/.test(raw);
  return !raw.startsWith("**") && (WORD_END.test(before) || WORD_START.test(after));
}

function link(inner: readonly Token[], address: string, raw: string, look: Look): Line {
  const shown = spansOf(inner, { ...look, mark: "underline" });
  const text = shown.map((span) => span.text).join("");
  const isBare = address === text || address === `mailto:${text}` || !raw.startsWith("[");
  return isBare ? shown : [...shown, { text: ` (${address})`, ...look, color: "quiet" }];
}

import type { Statement } from "./statement.ts";
import { isSameWord, namesIn, plain, tellingWords } from "./words.ts";

/** The share of a text's words that must be the user's: the rest is phrasing. */
const MIN_OWN_SHARE = 0.8;

/** Returns why a text is not made of the user's words; undefined if it is. */
export function findForeign(text: string, said: readonly Statement[]): string | undefined {
  const users = said.filter((one) => one.by === "user").map(({ text }) => text);
  const everything = plain(users.join("\n"));
  const foreign = namesIn(text).find((name) => !everything.includes(plain(name)));
  if (foreign !== undefined) return `the user has not said ${JSON.stringify(foreign)}`;

  const words = [...new Set(tellingWords(text))];
  const own = users.flatMap(tellingWords);
  const others = words.filter((word) => !own.some((other) => isSameWord(word, other)));
  const outside =
    others.length === 0 ? [] : said.flatMap((one) => (one.by === "outside" ? tellingWords(one.text) : []));
  const brought = others.find((word) => outside.some((other) => isSameWord(word, other)));
  if (brought !== undefined) return `${JSON.stringify(brought)} comes from what a tool brought, not from the user`;
  const share = words.length === 0 ? 0 : 1 - others.length / words.length;
  if (share < MIN_OWN_SHARE) {
    return `${Math.round(share * 100)}% of its words are the user's; ${MIN_OWN_SHARE * 100}% are needed`;
  }
  return undefined;
}

import type { Tokenizer } from "./tokenizer.ts";

/** The longest beginning of a text that counts no more than so many tokens, never cut through a surrogate pair. */
export function longestWithin(text: string, tokens: number, tokenizer: Tokenizer): string {
  if (tokenizer.countText(text) <= tokens) return text;
  let low = 0;
  let high = text.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokenizer.countText(beginning(text, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  return beginning(text, low);
}

function beginning(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

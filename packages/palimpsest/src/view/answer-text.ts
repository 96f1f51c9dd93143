import type { Item, MessageItem } from "./item.ts";

/** The type of the attachment that asks the model to continue an answer that was cut. */
export const CUT_OFF_NOTE = "cut-off";

/**
 * Returns the text of the newest response, together with the responses that it continues because they were cut. Empty if the
 * newest request has no answer in view. Reads no more of the view than that.
 */
export function answerText(items: readonly Item[]): string {
  let text = "";
  for (let end = items.length; ; ) {
    const { said, from } = newestResponse(items, end);
    if (said.length === 0) return text;
    text =
      said.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []))).join("") +
      text;
    let before = from - 1;
    while (before >= 0 && items[before]!.kind === "seal") before--;
    const asked = items[before];
    if (asked?.kind !== "message" || asked.attachment !== CUT_OFF_NOTE) return text;
    end = before;
  }
}

/** The messages of the newest response before a position, not looking behind the request before it. */
function newestResponse(
  items: readonly Item[],
  end: number,
): { readonly said: readonly MessageItem[]; readonly from: number } {
  const said: MessageItem[] = [];
  let from = end;
  for (let at = end - 1; at >= 0; at--) {
    const item = items[at]!;
    if (item.kind === "seal") break;
    if (item.role !== "assistant" || item.origin !== "model") continue;
    if (said.length > 0 && item.responseId !== said[0]!.responseId) break;
    said.unshift(item);
    from = at;
  }
  return { said, from };
}

import type { View } from "./view.ts";

/** Returns the texts of the host's attachments of one type, as the model sees them, in order. */
export function attachedTexts({ items }: Pick<View, "items">, type: string): readonly string[] {
  return items.flatMap((item) =>
    item.kind === "message" && item.attachment === type
      ? item.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []))
      : [],
  );
}

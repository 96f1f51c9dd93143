import fc from "fast-check";
import { expect, test } from "vitest";
import type { View } from "../../view/view.ts";
import { createByteIndex } from "./byte-index.ts";

test("counts the bytes that a client sends, in any script", () => {
  const texts = fc.array(
    fc.string({ unit: fc.constantFrom("a", '"', "é", "ש", "字", "\u2028", "🙂", "🏿", "\ud83d") }),
  );
  fc.assert(
    fc.property(texts, (list) => {
      const messages = list.map((text) => [{ kind: "text", text }]);
      const index = createByteIndex();
      const items = messages.map((blocks) => ({ kind: "message", blocks }));
      index.update({ items, configuration: undefined, changedAt: 0 } as unknown as View);
      const sent = messages.map((blocks) => Buffer.byteLength(JSON.stringify(blocks)));
      expect(index.totalBytes).toBe(sent.reduce((sum, bytes) => sum + bytes, createByteIndex().totalBytes));
    }),
  );
});

import { expect, test } from "vitest";
import type { Media } from "../log/block.ts";
import { mediaIn } from "../view/media.ts";
import { toItem } from "../view/view.ts";
import { omitMedia } from "./media.ts";

test("media that are left out have a text in their place: what it was, why it is gone, and who still has it", () => {
  const [one, two] = ["AAAA", "BBBBBBBB"].map(
    (data): Media => ({ kind: "image", source: { kind: "base64", mediaType: "image/png", data } }),
  );
  const item = toItem({ from: 2, to: 2, role: "user", origin: "human", blocks: [one!, two!] });
  const left = mediaIn([item]).filter(({ media }) => media === two);
  const { decisions } = omitMedia(left, { why: "it is too large", problem: "too-large", by: "request-size" });
  const text = "[image (image/png, 6 bytes) left out: it is too large. Entry 2 still has it.]";
  expect(decisions.map((decision) => decision.with[0]!.blocks)).toEqual([[one, { kind: "text", text }]]);
});

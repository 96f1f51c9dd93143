import { expect, test } from "vitest";
import type { Media } from "../log/block.ts";
import type { MediaRefusal } from "../providers/media-refusal.ts";
import { messageItem } from "../view/items.ts";
import { toItem } from "../view/view.ts";
import { findRefused, mediaIn, omitMedia } from "./media.ts";

const image = (data: string): Media => ({ kind: "image", source: { kind: "base64", mediaType: "image/png", data } });
const items = [
  messageItem(1, { role: "user", origin: "human", blocks: [{ kind: "text", text: "Look." }, image("AAAA")] }),
  messageItem(3, {
    role: "user",
    origin: "tool",
    blocks: [{ kind: "tool_result", callId: "c", content: [image("BBBB"), image("CCCC")], status: "ok" }],
  }),
  messageItem(5, {
    role: "user",
    origin: "human",
    blocks: [{ kind: "document", source: { kind: "base64", mediaType: "application/pdf", data: "DDDD" } }],
  }),
];
const shown = mediaIn(items);
const anthropic = {
  messages: [
    { content: [{ type: "text" }, { type: "image", source: { type: "base64", data: "AAAA" } }] },
    {
      content: [
        {
          type: "tool_result",
          content: [
            { type: "image", source: { data: "BBBB" } },
            { type: "image", source: { data: "CCCC" } },
          ],
        },
      ],
    },
  ],
};
const openai = {
  input: [{ type: "message", content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }] }],
};
const refusal = (more: Partial<MediaRefusal>): MediaRefusal => ({
  kind: "media-refused",
  problem: "unreadable",
  media: "image",
  ...more,
});
const found = (more: Partial<MediaRefusal>, { body = {} as unknown, acceptedTo = 0 } = {}) =>
  findRefused(shown, refusal(more), { body, acceptedTo }).map(({ media }) =>
    media.source.kind === "base64" ? media.source.data : "",
  );

test.each([
  ["messages.0.content.1.image.source.base64", anthropic, ["AAAA"]],
  ["messages.1.content.0.tool_result.content.1.image.source.base64.data", anthropic, ["CCCC"]],
  ["input[0].content[0].image_url", openai, ["AAAA"]],
])("findRefused returns the media at the named place: %s", (place, body, expected) => {
  expect(found({ place }, { body })).toEqual(expected);
});

test("findRefused returns the newest media that no answered request contained, if no place is named", () => {
  expect(found({})).toEqual(["CCCC"]);
  expect(found({}, { acceptedTo: 2 })).toEqual(["CCCC"]);
  expect(found({}, { acceptedTo: 4 })).toEqual(["CCCC"]);
  expect(found({ media: "document" })).toEqual(["DDDD"]);
});

test("findRefused returns the older half of too many media, and all of a kind that the model does not accept", () => {
  expect(found({ problem: "too-many" })).toEqual(["AAAA", "BBBB"]);
  expect(found({ problem: "no-media" })).toEqual(["AAAA", "BBBB", "CCCC"]);
});

test("omitMedia shows a stub with the media type, the reason and the entry", () => {
  const [one, two] = ["AAAA", "BBBBBBBB"].map(
    (data): Media => ({ kind: "image", source: { kind: "base64", mediaType: "image/png", data } }),
  );
  const item = toItem({ from: 2, to: 2, role: "user", origin: "human", blocks: [one!, two!] });
  const left = mediaIn([item]).filter(({ media }) => media === two);
  const { decisions } = omitMedia(left, { why: "it is too large", problem: "too-large", by: "request-size" });
  const text = "[image (image/png, 6 bytes) left out: it is too large. Entry 2 still has it.]";
  expect(decisions.map((decision) => decision.with[0]!.blocks)).toEqual([[one, { kind: "text", text }]]);
});

import { expect, test } from "vitest";
import type { Block, Media } from "../../log/block.ts";
import { toItem } from "../../view/item.ts";
import { mediaIn } from "./media-in.ts";
import { omitMedia } from "./omit-media.ts";

const image = (data: string): Media => ({ kind: "image", source: { kind: "base64", mediaType: "image/png", data } });
const page: Media = { kind: "document", source: { kind: "url", url: "https://example.com/a.pdf" } };
const [one, two, three] = [image("AAAA"), image("BBBBBBBB"), image("CCCC")];
const ITEMS = [
  toItem({ from: 2, to: 2, role: "user", origin: "human", blocks: [{ kind: "text", text: "Look." }, one, two] }),
  toItem({
    from: 5,
    to: 5,
    role: "user",
    origin: "tool",
    provenance: { kind: "tool", name: "shot" },
    blocks: [
      { kind: "tool_result", callId: "a", content: [{ kind: "text", text: "Here." }, three, page], status: "ok" },
    ],
  }),
];
const omit = (...media: readonly Media[]) =>
  omitMedia(
    mediaIn(ITEMS).filter((shown) => media.includes(shown.media)),
    { why: "it is too large", problem: "too-large", by: "request-size" },
  );

test("all media of a view are found in their order, also those in results", () => {
  expect(mediaIn(ITEMS).map(({ item, media }) => [item.from, media])).toEqual([
    [2, one],
    [2, two],
    [5, three],
    [5, page],
  ]);
});

test("media that are left out have a text in their place: what it was, why it is gone, and who still has it", () => {
  const { decisions, newEvents } = omit(two, three, page);
  expect(decisions.map(({ from, to, reason }) => [from, to, reason])).toEqual([
    [2, 2, "media left out: it is too large"],
    [5, 5, "media left out: it is too large"],
  ]);
  const [first, second] = decisions.map((decision) => decision.with[0]!);
  expect(first).toMatchObject({ role: "user", origin: "human" });
  const stub: Block = {
    kind: "text",
    text: "[image (image/png, 6 bytes) left out: it is too large. Entry 2 still has it.]",
  };
  expect(first!.blocks).toEqual([{ kind: "text", text: "Look." }, one, stub]);
  expect(second).toMatchObject({ origin: "tool", provenance: { kind: "tool", name: "shot" } });
  const [result] = second!.blocks;
  const content = result?.kind === "tool_result" && typeof result.content !== "string" ? result.content : [];
  expect(content.map(({ kind }) => kind)).toEqual(["text", "text", "text"]);
  expect(content[2]).toMatchObject({ text: expect.stringContaining("document at https://example.com/a.pdf") });
  const told = { problem: "too-large", by: "request-size", why: "it is too large" };
  expect(newEvents).toEqual([
    { kind: "media-refused", entry: 2, media: "image", ...told },
    { kind: "media-refused", entry: 5, media: "image", ...told },
    { kind: "media-refused", entry: 5, media: "document", ...told },
  ]);
});

test("nothing to leave out is no decision", () => {
  expect(omit()).toEqual({ decisions: [], newEvents: [] });
});

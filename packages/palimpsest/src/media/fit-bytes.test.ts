import { expect, test } from "vitest";
import type { Media } from "../log/block.ts";
import { toItem } from "../view/view.ts";
import { type ByteIndex, fitBytes, mediaIn, planByteFit } from "./media.ts";

const image = (bytes: number): Media => ({
  kind: "image",
  source: { kind: "base64", mediaType: "image/png", data: "A".repeat(bytes) },
});
const link: Media = { kind: "image", source: { kind: "url", url: "https://example.com/a.png" } };
const shownOf = (...media: readonly Media[]) =>
  mediaIn(media.map((one, at) => toItem({ from: at + 1, to: at + 1, role: "user", origin: "human", blocks: [one] })));
const fitted = (totalBytes: number, maxRequestBytes: number | undefined, ...media: readonly Media[]) =>
  fitBytes({ totalBytes, media: shownOf(...media) } as ByteIndex, maxRequestBytes);

test("planByteFit returns the oldest media that are needed, and no links", () => {
  const media = shownOf(image(40), link, image(40), image(40));
  const planned = (excess: number) => planByteFit(media, excess).map(({ item }) => item.from);
  expect([planned(0), planned(1), planned(40), planned(41), planned(999)]).toEqual([[], [1], [1], [1, 3], [1, 3, 4]]);
});

test("fitBytes leaves out media if a request has too many bytes, and frees extra room", async () => {
  const images = Array.from({ length: 10 }, () => image(100));
  expect((await fitted(970, 1_000, ...images)).drafts).toEqual([]);
  const { drafts, newEvents } = await fitted(971, 1_000, ...images);
  // 221 bytes above three quarters.
  expect(drafts).toHaveLength(3);
  expect(newEvents).toHaveLength(3);
  expect(newEvents[0]).toMatchObject({ problem: "too-large", by: "request-size", entry: 1 });
});

test("fitBytes does nothing without a limit or without media", async () => {
  expect((await fitted(999, undefined, image(100))).drafts).toEqual([]);
  expect((await fitted(999, 100)).drafts).toEqual([]);
  expect((await fitted(999, 100, link)).drafts).toEqual([]);
});

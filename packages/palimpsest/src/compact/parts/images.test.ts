import { describe, expect, test } from "vitest";
import { toolResult } from "../../log/messages.ts";
import { type Provenance, USER } from "../../log/provenance.ts";
import type { LogMessage, PartText } from "../../policy/policy.ts";
import { toItem } from "../../view/view.ts";
import { type ImagesOptions, images } from "./attachments.ts";
import { IMAGES, messagesOf } from "./knowledge.ts";
import { countTokens, logMessage, showParts } from "./testing.ts";

const imageOf = (data: string) =>
  ({ kind: "image", source: { kind: "base64", mediaType: "image/png", data } }) as const;
const PDF = { kind: "document", source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" } } as const;

function withMedia(entry: number, data: readonly string[], provenance: Provenance = USER, text = "See."): LogMessage {
  return { ...logMessage(entry, text, provenance), media: data.map(imageOf) };
}

/** The texts of the part, of which `testing.ts` counts 100 tokens for each image. */
async function shown(messages: readonly LogMessage[], options: Partial<ImagesOptions> = {}, roomTokens = 10_000) {
  const part = images({ newest: 2, maxTokens: 4_000, share: 1, ...options });
  const { texts, records, failures } = await showParts([part], { messages, roomTokens });
  expect(failures).toEqual([]);
  const own = texts.filter(({ attachment }) => attachment === IMAGES);
  return { texts: own, data: own.flatMap(dataOf), record: records.find(({ name }) => name === "images") };
}

const dataOf = ({ media = [] }: PartText): readonly string[] =>
  media.map(({ source }) => (source.kind === "base64" ? source.data : source.kind));

describe("images", () => {
  test("shows the newest two of the user and of tools, oldest first, each with the entry that it came from", async () => {
    const { texts, data } = await shown([
      withMedia(1, ["A"]),
      withMedia(4, ["B"], { kind: "tool", name: "Browser" }),
      withMedia(7, ["C"]),
    ]);
    expect(data).toEqual(["B", "C"]);
    expect(texts.map(({ text }) => text)).toEqual([
      "Image from entry 4, from before the summary:",
      "Image from entry 7, from before the summary:",
    ]);
    // An attachment is never shown as words of the user.
    expect(texts.map(({ provenance }) => provenance.kind)).toEqual(["tool", "outside"]);
  });

  test("counts an image that occurs twice once, at its newest place", async () => {
    const { data } = await shown([withMedia(1, ["A"]), withMedia(2, ["B"]), withMedia(3, ["A", "A"])]);
    expect(data).toEqual(["B", "A"]);
  });

  test("passes over documents, and leaves no record without images", async () => {
    const { data, record } = await shown([{ ...logMessage(1, "See."), media: [PDF] }]);
    expect([data, record]).toEqual([[], undefined]);
  });

  test("keeps the caption of an image that an earlier compaction has shown again", async () => {
    const [first] = (await shown([withMedia(4, ["A"])])).texts;
    const again = withMedia(30, ["A"], first!.provenance, first!.text);
    const { texts } = await shown([again, withMedia(33, ["B"])]);
    expect(texts.map(({ text }) => text)).toEqual([first!.text, "Image from entry 33, from before the summary:"]);
  });

  test("shows what fits of the newest first, counted with captions and images, and records what is missing", async () => {
    const caption = countTokens("Image from entry 9, from before the summary:");
    const messages = [withMedia(8, ["A"]), withMedia(9, ["B"])];
    const { data, record } = await shown(messages, { maxTokens: 150 });
    expect(data).toEqual(["B"]);
    expect(record).toMatchObject({ items: 2, fullTokens: 2 * (100 + caption), why: "there was room for 150 tokens" });
    expect(record!.tokens).toBeGreaterThanOrEqual(100 + caption);
    expect(record!.tokens).toBeLessThan(150);
    expect((await shown(messages, { maxTokens: 50 })).data).toEqual([]);
  });
});

describe("the messages that the part sees", () => {
  const seen = (entry: number, blocks: Parameters<typeof toItem>[0]["blocks"], attachment?: string) =>
    toItem({
      from: entry,
      to: entry,
      role: "user",
      origin: attachment === undefined ? "human" : "host",
      attachment,
      blocks,
    });

  test("have no image that the view shows as a stub because a provider refused it", () => {
    const stub = seen(1, [{ kind: "text", text: "[image left out]" }]);
    const known = new Map([[1, withMedia(1, ["A"])]]);
    const [message] = messagesOf([stub], known, countTokens);
    expect(message).toMatchObject({ text: "See.", media: [] });
  });

  test("include images that a compaction has shown again, and no other attachment", () => {
    const blocks = [{ kind: "text", text: "Image from entry 4, from before the summary:" }, imageOf("A")] as const;
    const messages = messagesOf([seen(30, blocks, IMAGES), seen(31, blocks, "file")], new Map(), countTokens);
    expect(messages.map(({ entry, media }) => [entry, media.length])).toEqual([[30, 1]]);
  });

  test("include images in tool results", () => {
    const { blocks } = toolResult("call", [{ kind: "text", text: "A page." }, imageOf("A")]);
    expect(messagesOf([seen(2, blocks)], new Map(), countTokens)).toMatchObject([
      { text: "A page.", media: [imageOf("A")] },
    ]);
  });
});

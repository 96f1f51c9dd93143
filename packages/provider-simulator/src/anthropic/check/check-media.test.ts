import { expect, test } from "vitest";
import { createAnthropic } from "../anthropic.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=",
  "base64",
);
const wide = Buffer.from(PNG);
wide.writeUInt32BE(8_001, 16);

function judge(type: "image" | "document", media_type: string, data: Buffer): string {
  const block = { type, source: { type: "base64", media_type, data: data.toString("base64") } };
  const verdict = createAnthropic().judge({
    ...{ model: "claude-opus-5-5", max_tokens: 100 },
    messages: [{ role: "user", content: [{ type: "text", text: "Look" }, block] }],
  });
  return verdict.kind === "refused" ? verdict.message : "accepted";
}

test.each([
  ["a whole image", "image", "image/png", PNG, "accepted"],
  [
    "an empty one",
    "image",
    "image/png",
    Buffer.alloc(0),
    "messages.0.content.1.image.source.base64: image cannot be empty",
  ],
  ["a page of HTML", "image", "image/png", Buffer.from("<html>"), "Could not process image"],
  ["half of an image", "image", "image/png", PNG.subarray(0, 40), "Could not process image"],
  [
    ...(["one of another type", "image", "image/jpeg", PNG] as const),
    "messages.0.content.1.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/png image",
  ],
  [
    ...(["one with too many pixels", "image", "image/png", wide] as const),
    "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
  ],
  [
    ...(["one with too many bytes", "image", "image/jpeg"] as const),
    Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(5_242_880)]),
    "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5242883 bytes > 5242880 bytes",
  ],
  ["a PDF", "document", "application/pdf", Buffer.from("%PDF-1.7\n"), "accepted"],
  [
    ...(["a text that is called a PDF", "document", "application/pdf", Buffer.from("Dear all")] as const),
    "messages.0.content.1.document.source.base64.data: The PDF specified was not valid.",
  ],
] as const)("1.2 %s", (_, type, mediaType, data, expected) => {
  expect(judge(type, mediaType, data)).toBe(expected);
});

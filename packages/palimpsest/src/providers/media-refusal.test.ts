import { expect, test } from "vitest";
import { readMediaRefusal } from "./media-refusal.ts";
import { readOverflow } from "./overflow.ts";
import type { MediaProblem } from "./provider.ts";

const error = (message: string, more: object = {}): object => ({
  status: 400,
  message: `400 ${message}`,
  error: { error: { type: "invalid_request_error", message, ...more } },
});

test.each<[string, MediaProblem, "image" | "document", string | undefined]>([
  ["Could not process image", "unreadable", "image", undefined],
  ["Could not process PDF", "unreadable", "document", undefined],
  [
    "messages.118.content.4.image.source.base64: image cannot be empty",
    ...(["unreadable", "image", "messages.118.content.4.image.source.base64"] as const),
  ],
  [
    "messages.38.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.",
    ...(["too-large", "document", "messages.38.content.0.pdf.source.base64.data"] as const),
  ],
  ["The PDF specified is password protected.", "unreadable", "document", undefined],
  [
    "messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
    ...(["too-large", "image", "messages.3.content.1.image.source.base64"] as const),
  ],
  [
    "messages.10.content.3.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ...(["unsupported", "image", "messages.10.content.3.image.source.base64.media_type"] as const),
  ],
  ["messages: too many images: 101 > 100", "too-many", "image", undefined],
  [
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    ...(["unsupported", "image", undefined] as const),
  ],
  [
    "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg'].",
    ...(["unreadable", "image", undefined] as const),
  ],
  [
    "Invalid 'input[3].content[1].image_url': string too long. Expected a string with maximum length 20971520, but got a string with length 30000000 instead.",
    ...(["too-large", "image", "input[3].content[1].image_url"] as const),
  ],
  ["Invalid content type. image_url is only supported by certain models.", "no-media", "image", undefined],
  ["No endpoints found that support image input", "no-media", "image", undefined],
])("recognizes: %s", (message, problem, media, place) => {
  expect(readMediaRefusal(error(message))).toEqual({
    kind: "media-refused",
    problem,
    media,
    ...(place === undefined ? {} : { place }),
  });
});

test("recognizes an error code, and reads the place from the parameter", () => {
  const refused = error("Something is wrong.", { code: "image_parse_error", param: "input[0].content[2]" });
  expect(readMediaRefusal(refused)).toEqual({
    kind: "media-refused",
    problem: "unreadable",
    media: "image",
    place: "input[0].content[2]",
  });
});

test.each([
  error("prompt is too long: 210000 tokens > 200000 maximum"),
  error("messages.0.content: Input should be a valid list"),
  { status: 429, message: "429 image rate limit: too many images" },
  { status: 500, message: "500 Could not process image" },
  { status: 413, message: "413 Request exceeds the maximum size" },
])("ignores other errors: %j", (other) => {
  expect(readMediaRefusal(other)).toBeUndefined();
});

test("does not count refused media as overflow", () => {
  expect(readOverflow(error("Could not process image"))).toBeUndefined();
});

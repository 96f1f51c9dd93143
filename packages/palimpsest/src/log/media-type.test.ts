import { expect, test } from "vitest";
import type { Media } from "./block.ts";
import { checkMedia, detectMediaType } from "./media-type.ts";

const bytesOf = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string, "latin1")));
const SAMPLES: readonly (readonly [string, Buffer])[] = [
  ["image/png", bytesOf([0x89], "PNG\r\n\x1a\n", "....")],
  ["image/jpeg", bytesOf([0xff, 0xd8, 0xff, 0xe0], "..JFIF")],
  ["image/gif", bytesOf("GIF89a....")],
  ["image/webp", bytesOf("RIFF....WEBPVP8 ")],
  ["application/pdf", bytesOf("\n%PDF-1.7\n...")],
];
const media = (kind: Media["kind"], mediaType: string, data: Buffer): Media => ({
  kind,
  source: { kind: "base64", mediaType, data: data.toString("base64") },
});

test.each(SAMPLES)("detects %s by its first bytes", (type, bytes) => {
  expect(detectMediaType(bytes)).toBe(type);
  expect(checkMedia(media(type === "application/pdf" ? "document" : "image", type, bytes))).toEqual({ kind: "fine" });
});

test("detects a PDF whose signature is within the first 1,024 bytes", () => {
  const late = (bytes: number): Buffer => bytesOf(" ".repeat(bytes), "%PDF-1.7");
  expect(detectMediaType(late(1_019))).toBe("application/pdf");
  expect(checkMedia(media("document", "application/pdf", late(1_019)))).toEqual({ kind: "fine" });
  expect(detectMediaType(late(1_020))).toBeUndefined();
});

test("detects no image in a container with other content", () => {
  for (const other of ["RIFF....WAVEfmt ", "LIST....WEBPVP8 ", "GIF90a....", "BM......"]) {
    expect(detectMediaType(bytesOf(other)), other).toBeUndefined();
  }
});

test("corrects the declared type of an image", () => {
  const [, jpeg] = SAMPLES[1]!;
  expect(checkMedia(media("image", "image/png", jpeg))).toEqual({
    kind: "corrected",
    media: media("image", "image/jpeg", jpeg),
  });
  expect(checkMedia(media("image", "image/x-unknown", jpeg))).toMatchObject({ kind: "corrected" });
});

test("corrects the declared type of a PDF, and refuses an image as a document", () => {
  const [[, png], [, pdf]] = [SAMPLES[0]!, SAMPLES[4]!];
  expect(checkMedia(media("document", "text/plain", pdf))).toEqual({
    kind: "corrected",
    media: media("document", "application/pdf", pdf),
  });
  expect(checkMedia(media("document", "text/plain", png))).toEqual({ kind: "fine" });
});

test.each([
  ["an error page", "image", "image/png", Buffer.from("<!DOCTYPE html>"), "its bytes are no image/png"],
  ["nothing", "image", "image/jpeg", Buffer.alloc(0), "it is empty"],
  ["a PDF as an image", "image", "image/png", SAMPLES[4]![1], "it is application/pdf, not image/png"],
  ["an image as a PDF", "document", "application/pdf", SAMPLES[0]![1], "it is image/png, not application/pdf"],
  ["a text as a PDF", "document", "application/pdf", Buffer.from("Dear all,"), "its bytes are no application/pdf"],
] as const)("reports %s as unreadable, with the reason", (_, kind, type, bytes, why) => {
  expect(checkMedia(media(kind, type, bytes))).toEqual({ kind: "unreadable", why });
});

test("accepts media that are sent as text or by URL", () => {
  expect(checkMedia(media("image", "image/bmp", Buffer.from("BM....")))).toEqual({ kind: "fine" });
  expect(checkMedia(media("document", "text/plain", Buffer.from("words")))).toEqual({ kind: "fine" });
  expect(checkMedia(media("document", "image/png", Buffer.from("words")))).toEqual({ kind: "fine" });
  expect(checkMedia({ kind: "image", source: { kind: "url", url: "https://example.org/a.png" } })).toEqual({
    kind: "fine",
  });
  expect(checkMedia({ kind: "image", source: { kind: "base64", mediaType: "image/png", data: "%%%" } })).toEqual({
    kind: "unreadable",
    why: "its data is no base64",
  });
});

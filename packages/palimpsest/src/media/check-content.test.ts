import { expect, test } from "vitest";
import type { Media, Part } from "../log/block.ts";
import type { AttachmentPayload, MessagePayload } from "../log/payload.ts";
import { checkContent } from "./media.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64");
const image = (mediaType: string, data: string): Media => ({
  kind: "image",
  source: { kind: "base64", mediaType, data },
});
const FINE = image("image/png", PNG);
const MISNAMED = image("image/jpeg", PNG);
const BROKEN = image("image/png", Buffer.from("no picture").toString("base64"));
const PAGES: Media = { kind: "document", source: { kind: "base64", mediaType: "application/pdf", data: "" } };
const TEXT = { kind: "text", text: "look" } as const;

const message = (...blocks: MessagePayload["blocks"]): MessagePayload => ({ role: "user", origin: "human", blocks });
const result = (content: string | readonly Part[]): MessagePayload => ({
  role: "user",
  origin: "tool",
  blocks: [{ kind: "tool_result", callId: "c", content, status: "ok" }],
});

test("keeps readable media, and corrects the media type to match the bytes", () => {
  for (const [input, expected] of [
    [message(TEXT), message(TEXT)],
    [message(TEXT, FINE), message(TEXT, FINE)],
    [message(MISNAMED, TEXT), message(FINE, TEXT)],
    [result("text"), result("text")],
    [result([TEXT, MISNAMED]), result([TEXT, FINE])],
  ] as const)
    expect(checkContent(input, 3)).toEqual({ content: expected, decisions: [], newEvents: [] });
});

test("shows unreadable media as a stub, and keeps the original in the entry", () => {
  const input = { ...message(TEXT, BROKEN, MISNAMED, PAGES), provenance: "web" } as unknown as MessagePayload;
  const { content, decisions, newEvents } = checkContent(input, 3);
  expect(content).toEqual({ ...input, blocks: [TEXT, BROKEN, FINE, PAGES] });
  const stub = (kind: string) => ({ kind: "text", text: expect.stringMatching(new RegExp(`^\\[${kind}.*Entry 3`)) });
  const blocks = [TEXT, stub("image"), FINE, stub("document")];
  const shown = { role: "user", origin: "human", provenance: "web", blocks };
  expect(decisions).toEqual([
    { from: 3, to: 3, with: [shown], reason: expect.stringMatching(/image\/png; it is empty$/) },
  ]);
  const refused = { kind: "media-refused", entry: 3, problem: "unreadable", by: "check" };
  expect(newEvents).toEqual([
    { ...refused, media: "image", why: expect.stringContaining("image/png") },
    { ...refused, media: "document", why: expect.stringContaining("empty") },
  ]);
});

test("replaces only the media of a tool result, and keeps the type of an attachment", () => {
  const [inResult] = checkContent(result([TEXT, BROKEN]), 4).decisions;
  expect(inResult!.with).toEqual([
    { ...result([]), blocks: [{ kind: "tool_result", callId: "c", content: [TEXT, stubOf(4)], status: "ok" }] },
  ]);
  const attachment = { type: "file", blocks: [BROKEN] } as unknown as AttachmentPayload;
  const [attached] = checkContent(attachment, 5).decisions;
  expect(attached!.with).toEqual([{ role: "user", origin: "host", attachment: "file", blocks: [stubOf(5)] }]);
});

function stubOf(entry: number): object {
  return { kind: "text", text: expect.stringContaining(`Entry ${entry} `) };
}

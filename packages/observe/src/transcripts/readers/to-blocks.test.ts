import { describe, expect, test } from "vitest";
import { toBlocks } from "./to-blocks.ts";

const threeBytes = "AAAA";

describe("toBlocks", () => {
  test.each([
    ["a text", "hello", { kind: "text", text: "hello" }],
    ["a text block", [{ type: "text", text: "hello" }], { kind: "text", text: "hello" }],
    ["what the Responses API calls input", [{ type: "input_text", text: "hello" }], { kind: "text", text: "hello" }],
    ["what the Responses API calls output", [{ type: "output_text", text: "hello" }], { kind: "text", text: "hello" }],
    [
      "thinking",
      [{ type: "thinking", thinking: "why", signature: "sig" }],
      { kind: "thinking", text: "why", signature: "sig" },
    ],
    [
      "thinking of pi",
      [{ type: "thinking", thinking: "why", thinkingSignature: "sig" }],
      { kind: "thinking", text: "why", signature: "sig" },
    ],
    ["thinking without a signature", [{ type: "thinking", thinking: "why" }], { kind: "thinking", text: "why" }],
    [
      "a call",
      [{ type: "tool_use", id: "c1", name: "read", input: { path: "a" } }],
      { kind: "tool_call", callId: "c1", name: "read", input: { path: "a" } },
    ],
    [
      "a call of pi",
      [{ type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } }],
      { kind: "tool_call", callId: "c1", name: "read", input: { path: "a" } },
    ],
    [
      "a result",
      [{ type: "tool_result", tool_use_id: "c1", content: "done" }],
      { kind: "tool_result", callId: "c1", content: "done", status: "ok" },
    ],
    [
      "a failed result in parts",
      [{ type: "tool_result", tool_use_id: "c1", is_error: true, content: [{ type: "text", text: "no" }] }],
      { kind: "tool_result", callId: "c1", content: [{ kind: "text", text: "no" }], status: "error" },
    ],
    [
      "an image",
      [{ type: "image", source: { type: "base64", media_type: "image/png", data: threeBytes } }],
      { kind: "image", mediaType: "image/png", sizeBytes: 3 },
    ],
    [
      "an image of pi",
      [{ type: "image", mimeType: "image/png", data: threeBytes }],
      { kind: "image", mediaType: "image/png", sizeBytes: 3 },
    ],
    [
      "an image of Codex",
      [{ type: "input_image", image_url: `data:image/png;base64,${threeBytes}` }],
      { kind: "image", mediaType: "image/png", sizeBytes: 3 },
    ],
    [
      "a padded document",
      [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAAAA==" } }],
      { kind: "document", mediaType: "application/pdf", sizeBytes: 4 },
    ],
    [
      "an image that is elsewhere",
      [{ type: "input_image", image_url: "https://example.org/a.png" }],
      {
        kind: "opaque",
        type: "input_image",
        value: { type: "input_image", image_url: "https://example.org/a.png" },
      },
    ],
    [
      "a block of an unknown type",
      [{ type: "redacted_thinking", data: "x" }],
      { kind: "opaque", type: "redacted_thinking", value: { type: "redacted_thinking", data: "x" } },
    ],
    ["something that is no block", [7], { kind: "opaque", type: "unknown", value: 7 }],
  ])("reads %s", (_, content, block) => {
    expect(toBlocks(content)).toEqual([block]);
  });

  test.each([undefined, null, 7, {}, []])("finds no blocks in %j", (content) => {
    expect(toBlocks(content)).toEqual([]);
  });
});

import { createAnthropic } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { renderMessage } from "./render.ts";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
const PDF = "JVBERi0xLjcK";

const contentOf = (block: Block, role: "user" | "assistant" = "user"): unknown =>
  (renderMessage({ role, blocks: [block] })[0]?.content as unknown[] | undefined)?.[0];
const image = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } } as const;

test.each<[string, Block, unknown]>([
  ["text", { kind: "text", text: "hi" }, { type: "text", text: "hi" }],
  [
    "a call",
    { kind: "tool_call", id: "a", name: "read", input: { path: "x", __proto__: null } },
    { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
  ],
  [
    "a call whose input is no JSON",
    { kind: "tool_call", id: "a", name: "read", input: '{"path": "READ' },
    { type: "tool_use", id: "a", name: "read", input: { input: '{"path": "READ' } },
  ],
  [
    "a call whose input is a list",
    { kind: "tool_call", id: "a", name: "read", input: [1] },
    { type: "tool_use", id: "a", name: "read", input: { input: [1] } },
  ],
  [
    "a call without input",
    { kind: "tool_call", id: "a", name: "read", input: undefined },
    { type: "tool_use", id: "a", name: "read", input: {} },
  ],
  [
    "a result",
    { kind: "tool_result", callId: "a", content: "done", status: "ok" },
    { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "done" }] },
  ],
  [
    "an empty result",
    { kind: "tool_result", callId: "a", content: "", status: "error" },
    { type: "tool_result", tool_use_id: "a", is_error: true },
  ],
  [
    "a result with an image",
    { kind: "tool_result", callId: "a", content: [{ kind: "text", text: "see" }, image], status: "ok" },
    {
      type: "tool_result",
      tool_use_id: "a",
      content: [
        { type: "text", text: "see" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      ],
    },
  ],
  [
    "an image by its address",
    { kind: "image", source: { kind: "url", url: "https://x/y.png" } },
    { type: "image", source: { type: "url", url: "https://x/y.png" } },
  ],
  [
    "a PDF",
    { kind: "document", source: { kind: "base64", mediaType: "application/pdf", data: PDF } },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
  ],
  [
    "a text document",
    { kind: "document", source: { kind: "base64", mediaType: "text/markdown", data: btoa("# Hi") } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "# Hi" } },
  ],
  [
    "an image of a type that the API refuses",
    { kind: "image", source: { kind: "base64", mediaType: "image/bmp", data: "AAAA" } },
    { type: "text", text: "[image of type image/bmp, which cannot be shown]" },
  ],
  [
    "signed thinking",
    { kind: "thinking", provider: "anthropic", text: "", signature: "sig" },
    { type: "thinking", thinking: "", signature: "sig" },
  ],
  [
    "a block in the provider's own form",
    { kind: "opaque", native: { provider: "anthropic", block: { type: "container_upload", file_id: "f" } } },
    { type: "container_upload", file_id: "f" },
  ],
])("%s", (_, block, expected) => {
  expect(contentOf(block)).toEqual(expected);
});

test("a call in the provider's own form goes by the id it has now", () => {
  const native = {
    provider: "anthropic",
    block: { type: "tool_use", id: "a", name: "x", input: {}, toolset_name: "browser" },
  };
  const block: Block = { kind: "tool_call", id: "a-2", name: "x", input: {}, native };
  expect(contentOf(block, "assistant")).toEqual({ ...native.block, id: "a-2" });
});

test("what cannot be sent is left out, and a message of nothing else is none", () => {
  const blocks: Block[] = [
    { kind: "thinking", provider: "anthropic", text: "unsigned" },
    { kind: "thinking", provider: "openai-responses", text: "", signature: "sig" },
    { kind: "opaque", native: { provider: "openai-responses", block: { type: "reasoning" } } },
  ];
  expect(renderMessage({ role: "assistant", blocks })).toEqual([]);
});

test("the result is frozen all the way down, and what it was made from is not", () => {
  const input = { deep: [{ er: 1 }] };
  const [message] = renderMessage({ role: "assistant", blocks: [{ kind: "tool_call", id: "a", name: "n", input }] });
  const [call] = message!.content as unknown as [{ input: typeof input }];
  expect([message, message!.content, call, call.input, call.input.deep[0]].every(Object.isFrozen)).toBe(true);
  expect([input, input.deep, input.deep[0]].some(Object.isFrozen)).toBe(false);
});

test("an exchange with every kind of block is taken", () => {
  const messages = [
    ...renderMessage({ role: "user", blocks: [{ kind: "text", text: "Look." }, image] }),
    ...renderMessage({
      role: "assistant",
      blocks: [
        { kind: "text", text: "I will." },
        { kind: "tool_call", id: "a", name: "read", input: {} },
        { kind: "tool_call", id: "b", name: "read", input: "broken" },
      ],
    }),
    ...renderMessage({
      role: "user",
      blocks: [
        { kind: "tool_result", callId: "a", content: [image], status: "ok" },
        { kind: "tool_result", callId: "b", content: "", status: "error" },
        { kind: "text", text: "Go on." },
      ],
    }),
  ];
  expect(createAnthropic().judge({ model: "claude-opus-5-5", max_tokens: 10, messages })).toMatchObject({
    kind: "accepted",
  });
});

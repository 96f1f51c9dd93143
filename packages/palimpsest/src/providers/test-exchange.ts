import assert from "node:assert/strict";
import type { Block } from "../log/block.ts";
import type { FlatMessage } from "../view/flat-message.ts";
import type { Provider, RequestParts, ResponseContent, StreamPart } from "./provider.ts";
import { ProviderError, type ProviderFailure } from "./provider-error.ts";
import { readStream } from "./read-stream.ts";

/** A provider and the service behind it. */
export interface ProviderPlace {
  readonly provider: Provider;
  /** A model that the service knows. */
  readonly model: string;
  /** The number of calls to the model that reached the service. */
  calls(): number;
  /** Called at the end of each case, passed or failed. */
  remove(): Promise<void>;
}

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

export const ANSWER = "An answer that is longer than one piece of a stream, with an emoji 😀 and a line\nbreak in it.";
export const CALLS: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[] = [
  { name: "read", input: { path: "a.ts", lines: [1, 2] } },
  { name: "read", input: { path: "b.ts" } },
];
const TOOLS = [
  {
    name: "read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
];
export const ASK: FlatMessage = { role: "user", blocks: [{ kind: "text", text: "What is in the files?" }] };

/** Messages with every kind of block, in our neutral form. */
export const EXCHANGE: readonly FlatMessage[] = [
  {
    role: "user",
    blocks: [
      { kind: "text", text: "Look at this." },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } },
    ],
  },
  {
    role: "assistant",
    blocks: [
      { kind: "text", text: "I will." },
      { kind: "tool_call", id: "call-1", name: "read", input: { path: "a.ts", deep: { list: [1, "ü"] } } },
      { kind: "tool_call", id: "call-2", name: "read", input: {} },
    ],
  },
  {
    role: "user",
    blocks: [
      { kind: "tool_result", callId: "call-1", content: "const a = 1;", status: "ok" },
      { kind: "tool_result", callId: "call-2", content: "No such file.", status: "ok" },
      { kind: "text", text: "Go on." },
    ],
  },
  { role: "assistant", blocks: [{ kind: "text", text: "Done." }] },
];

/** Joins neighboring messages of one role, as flattening does. */
export function flatten(
  payloads: readonly { readonly role: FlatMessage["role"]; readonly blocks: readonly Block[] }[],
): FlatMessage[] {
  const messages: FlatMessage[] = [];
  for (const { role, blocks } of payloads) {
    const last = messages.at(-1);
    if (last?.role === role) messages[messages.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else messages.push({ role, blocks });
  }
  return messages;
}

export function request(
  { provider, model }: ProviderPlace,
  conversation: readonly FlatMessage[],
): RequestParts<unknown> {
  return {
    model,
    system: "You are a careful reader.",
    tools: TOOLS,
    parameters: {},
    messages: conversation.flatMap((message) => provider.renderMessage(message)),
    marks: [],
    cacheTtl: "5m",
    maxTokens: 4_000,
    session: "session-1",
  };
}

interface Exchanged {
  readonly parts: readonly StreamPart[];
  readonly content: ResponseContent;
}

export async function exchange(somewhere: ProviderPlace, conversation: readonly FlatMessage[]): Promise<Exchanged> {
  return send(somewhere, request(somewhere, conversation));
}

export async function send(
  { provider }: ProviderPlace,
  request: RequestParts<unknown>,
  signal?: AbortSignal,
): Promise<Exchanged> {
  const parts: StreamPart[] = [];
  const stream = provider.send(provider.renderRequest(request), signal === undefined ? {} : { signal });
  const response = await readStream(stream, (part) => parts.push(part));
  return { parts, content: provider.readResponse(response) };
}

export async function failureOf(somewhere: ProviderPlace, signal?: AbortSignal): Promise<ProviderFailure> {
  try {
    await send(somewhere, request(somewhere, [ASK]), signal);
  } catch (error) {
    assert.ok(ProviderError.isInstance(error), `not a ProviderError: ${error}`);
    return error.failure;
  }
  return assert.fail("the call did not fail");
}

export function callsOf({ blocks }: ResponseContent): readonly Extract<Block, { kind: "tool_call" }>[] {
  return blocks.filter((block) => block.kind === "tool_call");
}

export function answersTo(content: ResponseContent): FlatMessage {
  const blocks = callsOf(content).map(
    ({ id }): Block => ({ kind: "tool_result", callId: id, content: `Result of ${id}.`, status: "ok" }),
  );
  return { role: "user", blocks };
}

export function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

import { hearScript } from "../../hear.ts";
import type { Ask, Reply, Script } from "../../script.ts";
import { promptTools } from "../prompt/head.ts";
import { type Block, blocksOf, type MessagesRequest } from "../request.ts";

export interface AskOptions {
  readonly script: Script;
  readonly purpose: Ask["purpose"];
  /** How many answers the script was asked for before. */
  readonly turn: number;
  readonly inputTokens: number;
}

/** Puts the request to the script, as what a model would notice of it. */
export function askScript(request: MessagesRequest, { script, purpose, turn, inputTokens }: AskOptions): Reply {
  const newest = request.messages.findLast(({ role }) => role === "user");
  const blocks = newest === undefined ? [] : blocksOf(newest.content);
  const texts = blocks.filter(({ type }) => type === "text").map((block) => block["text"] as string);
  const results = blocks.filter(({ type }) => type === "tool_result");
  return hearScript(script, {
    provider: "anthropic-messages",
    purpose,
    turn,
    request: request as unknown as Readonly<Record<string, unknown>>,
    inputTokens,
    tools: promptTools(request)
      .flatMap(({ name }) => name ?? [])
      .concat(referredTools(request)),
    userText: texts.join("\n"),
    toolResults: results.map((block) => ({
      callId: block["tool_use_id"] as string,
      text: resultText(block["content"]),
    })),
  });
}

/** The deferred tools that the conversation has brought in. */
function referredTools({ messages }: MessagesRequest): string[] {
  const parts = messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((block) => (block.type === "tool_result" ? block["content"] : [])),
  );
  const names = (parts as Partial<Block>[]).flatMap((part) =>
    part?.type === "tool_reference" ? part["tool_name"] : [],
  );
  return [...new Set(names as string[])];
}

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as Block[]).flatMap((part) => (part.type === "text" ? [part["text"] as string] : [])).join("\n");
}

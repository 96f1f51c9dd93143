// Turns plain messages into message objects of LangChain.

import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "langchain";
import type { LangChainMessage, LangChainPart } from "./wire.ts";

/** `parts`: content is always a list, so moving a mark changes no other byte. `shortest`: content of one text is a string. */
export type ContentForm = "parts" | "shortest";

/** Creates message objects for one call. Results get the names of their tools, because some services need them. */
export function toLiveMessages(messages: readonly LangChainMessage[], form: ContentForm): BaseMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.type === "ai") for (const { id, name } of message.tool_calls) names.set(id, name);
    return toLiveMessage(message, form, names);
  });
}

function toLiveMessage(message: LangChainMessage, form: ContentForm, names: ReadonlyMap<string, string>): BaseMessage {
  const content = toContent(message.content, form) as string;
  switch (message.type) {
    case "system":
      return new SystemMessage({ content });
    case "human":
      return new HumanMessage({ content });
    case "ai": {
      const { additional_kwargs: additional } = message;
      const tool_calls = message.tool_calls.map((call) => ({ ...call }));
      return new AIMessage({
        content,
        tool_calls,
        ...(additional && { additional_kwargs: structuredClone(additional) }),
      });
    }
    case "tool": {
      const { tool_call_id, status } = message;
      return new ToolMessage({ content, tool_call_id, status, name: names.get(tool_call_id) ?? "unknown" });
    }
  }
}

function toContent(parts: readonly LangChainPart[], form: ContentForm): string | readonly LangChainPart[] {
  if (form === "parts") return [...parts];
  const [only, ...others] = parts;
  if (only === undefined) return "";
  const isPlain = others.length === 0 && only["type"] === "text" && Object.keys(only).length === 2;
  return isPlain ? (only["text"] as string) : [...parts];
}

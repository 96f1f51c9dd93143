import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import type { OpenLoop } from "../contestant.ts";
import { INSTRUCTIONS, READ_FILE, readFile } from "../course-tool.ts";

/** What `keep` returns is sent and kept instead of all messages. */
type Keep = (messages: Anthropic.MessageParam[], usedTokens: number) => Anthropic.MessageParam[];

/** A loop that appends, with a moving cache mark and the client's own retries, and persists its messages after each of them. */
export const open: OpenLoop = openAppendingLoop();

export function openAppendingLoop(keep: Keep = (messages) => messages): OpenLoop {
  return async ({ url, model, home }) => {
    const client = new Anthropic({ apiKey: "none", baseURL: url });
    const file = join(home, "messages.json");
    let messages = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Anthropic.MessageParam[]) : [];
    let usedTokens = 0;
    const { name, description, inputSchema: input_schema } = READ_FILE;
    const push = (message: Anthropic.MessageParam): void => {
      messages.push(message);
      writeFileSync(file, JSON.stringify(messages));
    };
    return {
      async turn(text) {
        messages = keep(messages, usedTokens);
        push({ role: "user", content: text });
        for (;;) {
          const cache_control = { type: "ephemeral" } as const;
          const tools = [{ name, description, input_schema }];
          const request = { model, max_tokens: 2_000, system: INSTRUCTIONS, tools, messages, cache_control };
          const { content, usage } = await client.messages.stream(request).finalMessage();
          usedTokens =
            usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
          push({ role: "assistant", content });
          const calls = content.filter((block) => block.type === "tool_use");
          if (calls.length === 0) return;
          push({ role: "user", content: calls.map(({ id, input }) => run(id, input)) });
        }
      },
      close: async () => undefined,
    };
  };
}

function run(tool_use_id: string, input: unknown): Anthropic.ToolResultBlockParam {
  try {
    return { type: "tool_result", tool_use_id, content: readFile((input as { path: string }).path) };
  } catch (error) {
    return { type: "tool_result", tool_use_id, content: String(error), is_error: true };
  }
}

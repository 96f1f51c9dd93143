import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import type { Loop, Place } from "./contestant.ts";

/** A `ToolLoopAgent` of the AI SDK, as far as a turn needs it. The contestants have their own versions of the package. */
export interface StreamingAgent {
  stream(options: { messages: ModelMessage[] }): PromiseLike<{
    consumeStream(options: { onError(error: unknown): void }): PromiseLike<void>;
    readonly responseMessages: PromiseLike<readonly ModelMessage[]>;
  }>;
}

/** The turns of an agent of the AI SDK. The application keeps the list of messages, and writes it to disk after each turn. */
export function keepModelMessages({ home }: Pick<Place, "home">, agent: StreamingAgent): Loop["turn"] {
  const file = join(home, "messages.json");
  const list: ModelMessage[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  return async (text) => {
    const messages: ModelMessage[] = [...list, { role: "user", content: text }];
    const failures: unknown[] = [];
    const result = await agent.stream({ messages });
    await result.consumeStream({ onError: (error) => failures.push(error) });
    if (failures.length > 0) throw failures[0];
    list.push(messages.at(-1)!, ...(await result.responseMessages));
    writeFileSync(file, JSON.stringify(list));
  };
}

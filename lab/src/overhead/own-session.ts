import { memoryStore, openSession, type Settings, toolResult } from "palimpsest";
import { type AnthropicResponse, anthropic } from "palimpsest/anthropic";
import type { Conversation, Subject } from "./subject.ts";
import type { Round } from "./transcript.ts";

const MODEL = "claude-sonnet-4-6";
/** 20,000 messages have 20 million tokens: in this window nothing ever has to be done about them, and nothing is because it pays. */
const WINDOW_TOKENS = 100_000_000;
const ONLY_WHEN_FULL: Partial<Settings> = { profile: "quality" };

export interface OwnSessionOptions {
  /** The tool whose results fill the conversation. @default one whose results are never cleared */
  readonly tool?: string;
  /** Settings of the engine. @default none */
  readonly settings?: Partial<Settings>;
}

/** A session as an agent leads it: every response recorded, every request prepared. The body is not serialized. */
export function ownSession({ tool = "read_file", settings = {} }: OwnSessionOptions = {}): Subject {
  return {
    name: "palimpsest",
    counts: "tokens",
    async begin(rounds) {
      const provider = anthropic({} as never, { models: { [MODEL]: { windowTokens: WINDOW_TOKENS } } });

      const session = await openSession({
        store: memoryStore(),
        provider,
        model: MODEL,
        settings: { ...ONLY_WHEN_FULL, ...settings },
        settingsFrom: { environment: {} },
      });
      await session.append("Fix the failing test.");
      await session.prepare();
      const conversation: Conversation = {
        async next(round) {
          await session.record(toResponse(round, tool));
          const result = toolResult(round.callId, round.output);
          return async () => {
            await session.append(result);
            return session.prepare();
          };
        },
      };
      for (const round of rounds) await (await conversation.next(round))();
      return conversation;
    },
  };
}

function toResponse({ index, callId, path }: Round, tool: string): AnthropicResponse {
  const usage = { input_tokens: 1_000, cache_read_input_tokens: 1_000 * index, output_tokens: 40 };
  return {
    id: `msg_${index}`,
    type: "message",
    role: "assistant",
    model: MODEL,
    content: [{ type: "tool_use", id: callId, name: tool, input: { path } }],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { ...usage, cache_creation_input_tokens: 0 },
  } as unknown as AnthropicResponse;
}

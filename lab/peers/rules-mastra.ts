import { TokenLimiterProcessor } from "@mastra/core/processors";
import type { Rule, RuleMessage } from "@palimpsest/observe/replay";
import { compactAtLimit } from "./compact-at-limit.ts";

type RequestArguments = Parameters<TokenLimiterProcessor["processLLMRequest"]>[0];
type PromptMessage = RequestArguments["prompt"][number];

/** The limit of the example on its page. */
const LIMIT_TOKENS = 127_000;

/** `TokenLimiter` as it comes: what does not fit is left out of each request anew, and stays in the conversation. */
export const mastraTokenLimiter: Rule = {
  name: "mastra-token-limiter",
  about: "TokenLimiter at 127,000 tokens: what does not fit is left out of each request anew",
  source: "@mastra/core 1.71.0",
  begin() {
    const limiter = rememberingLimiter();
    const theirs = new WeakMap<RuleMessage, PromptMessage>();
    return {
      async prepare(messages, situation) {
        // It counts some 6 characters a token, a provider some 3: where ours finds room, so does its.
        if (situation.sizeOf(messages) < LIMIT_TOKENS) return { kept: messages };
        const ours = new Map<PromptMessage, RuleMessage>();
        const prompt = messages.map((message) => {
          const translated = theirs.get(message) ?? translate(message);
          theirs.set(message, translated);
          ours.set(translated, message);
          return translated;
        });
        // Of its arguments it reads the prompt.
        const limited = await limiter.processLLMRequest({ prompt } as RequestArguments);
        const sent = (limited?.prompt ?? prompt).flatMap((message) => ours.get(message) ?? []);
        const compacted = compactAtLimit(sent, situation);
        return compacted === sent ? { kept: messages, sent } : { kept: compacted };
      },
    };
  },
};

/** It counts every message of every request anew, which took half of all the time of the experiment: here each is counted once. */
function rememberingLimiter(): TokenLimiterProcessor {
  const limiter = new TokenLimiterProcessor(LIMIT_TOKENS);
  const count = limiter["countPromptMessageTokens"].bind(limiter);
  const counted = new WeakMap<PromptMessage, number>();
  limiter["countPromptMessageTokens"] = (message: PromptMessage): number => {
    const tokens = counted.get(message) ?? count(message);
    counted.set(message, tokens);
    return tokens;
  };
  return limiter;
}

function translate({ kind, text, said = "", calls = [], call }: RuleMessage): PromptMessage {
  if (kind === "response") {
    const parts = calls.map(({ id, name, input }) => {
      return { type: "tool-call" as const, toolCallId: id, toolName: name, input };
    });
    return { role: "assistant", content: [...(said === "" ? [] : [{ type: "text" as const, text: said }]), ...parts] };
  }
  if (kind !== "result" || call === undefined) return { role: "user", content: [{ type: "text", text }] };
  const output = { type: "text" as const, value: text };
  return { role: "tool", content: [{ type: "tool-result", toolCallId: call.id, toolName: call.name, output }] };
}

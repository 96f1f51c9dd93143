import type { Rule, RuleMessage } from "@palimpsest/observe/replay";
import { type ModelMessage, pruneMessages } from "ai";
import { compactAtLimit } from "./compact-at-limit.ts";

const TRIGGER_TOKENS = 100_000;

/**
 * `pruneMessages` in `prepareStep`, as its page shows it: in a long conversation the calls and results before the last three
 * messages are taken out, and the rest is what the next step begins with.
 */
export const aiSdkPrune: Rule = {
  name: "ai-sdk-prune",
  about: "pruneMessages above 100,000 tokens: calls and results before the last three messages are taken out",
  source: "ai 7.0.169",
  begin: () => ({
    prepare(messages, situation) {
      if (situation.sizeOf(messages) < TRIGGER_TOKENS) return { kept: messages };
      const ours = new Map<ModelMessage, RuleMessage>();
      const theirs = messages.map((message) => {
        const translated = translate(message);
        ours.set(translated, message);
        return translated;
      });
      const pruned = pruneMessages({ messages: theirs, toolCalls: "before-last-3-messages", emptyMessages: "remove" });
      const kept = pruned.map((message) => {
        const same = ours.get(message);
        if (same !== undefined) return same;
        // Its calls are gone; its words stay.
        return situation.made("response", wordsOf(message));
      });
      return { kept: compactAtLimit(kept, situation) };
    },
  }),
};

function wordsOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? String(part.text) : "")).join("\n");
}

function translate({ kind, text, said = "", calls = [], call }: RuleMessage): ModelMessage {
  if (kind === "response") {
    const parts = calls.map(({ id, name, input }) => {
      return { type: "tool-call" as const, toolCallId: id, toolName: name, input };
    });
    return { role: "assistant", content: [...(said === "" ? [] : [{ type: "text" as const, text: said }]), ...parts] };
  }
  if (kind !== "result" || call === undefined) return { role: "user", content: text };
  const output = { type: "text" as const, value: text };
  return { role: "tool", content: [{ type: "tool-result", toolCallId: call.id, toolName: call.name, output }] };
}

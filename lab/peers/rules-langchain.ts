import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Rule, RuleMessage, RuleSituation } from "@palimpsest/observe/replay";
import { ClearToolUsesEdit, countTokensApproximately, summarizationMiddleware } from "langchain";
import { compactAtLimit } from "./compact-at-limit.ts";

/** `contextEditingMiddleware()` as it comes: above 100,000 tokens, by its own count, all results but three are cleared for good. */
export const langchainEditing: Rule = {
  name: "langchain-editing",
  about: "contextEditingMiddleware with ClearToolUsesEdit: above 100,000 tokens all results but three are cleared",
  source: "langchain 1.5.14",
  begin() {
    const translation = createTranslation();
    return {
      async prepare(messages, situation) {
        const state = translation.take(messages);
        // The model is asked only for limits that are given as a fraction of its window.
        await new ClearToolUsesEdit().apply({
          messages: state,
          model: undefined as never,
          countTokens: countTokensApproximately,
        });
        return { kept: compactAtLimit(translation.back(state, situation), situation) };
      },
    };
  },
};

/** With a trigger, which it does not have by default; the rest as it comes: 20 messages stay, and the summarizer reads 4,000 tokens. */
export const langchainSummarization: Rule = {
  name: "langchain-summarization",
  about:
    "summarizationMiddleware at 100,000 tokens: twenty messages stay, the newest 4,000 tokens of the rest are summarized",
  source: "langchain 1.5.14",
  begin() {
    const translation = createTranslation();
    let answer: (prompt: string) => string = () => "";
    const model = {
      invoke: async (prompt: unknown) =>
        new AIMessage(answer(typeof prompt === "string" ? prompt : JSON.stringify(prompt))),
    };
    const { beforeModel } = summarizationMiddleware({ model, trigger: { tokens: 100_000 } } as never);
    const run = (typeof beforeModel === "function" ? beforeModel : beforeModel!.hook) as (
      state: { messages: BaseMessage[] },
      runtime: { context: object },
    ) => Promise<{ messages: BaseMessage[] } | undefined>;
    return {
      async prepare(messages, situation) {
        answer = situation.summarizeText;
        const state = translation.take(messages);
        const changed = await run({ messages: state }, { context: {} });
        // The first says that all before it are removed.
        return { kept: compactAtLimit(translation.back(changed?.messages.slice(1) ?? state, situation), situation) };
      },
    };
  },
};

/** The conversation in LangChain's messages, and back. */
export interface Translation {
  /** What is new is translated, the rest is as it was left. */
  take(messages: readonly RuleMessage[]): BaseMessage[];
  /** What was not changed is the same message again. */
  back(state: readonly BaseMessage[], situation: RuleSituation): readonly RuleMessage[];
}

export function createTranslation(): Translation {
  const theirs = new WeakMap<RuleMessage, BaseMessage>();
  const ours = new WeakMap<BaseMessage, { readonly message: RuleMessage; readonly content: unknown }>();
  /** A result that was built anew still answers the same call. */
  const results = new Map<string, RuleMessage>();
  return {
    take: (messages) =>
      messages.map((message) => {
        const known = theirs.get(message) ?? translate(message);
        theirs.set(message, known);
        if (!ours.has(known)) ours.set(known, { message, content: known.content });
        if (message.kind === "result" && message.call !== undefined) results.set(message.call.id, message);
        return known;
      }),
    back: (state, situation) =>
      state.map((message) => {
        const known = ours.get(message);
        if (known !== undefined && known.content === message.content) return known.message;
        const text = String(message.content);
        const before =
          known?.message ?? (ToolMessage.isInstance(message) ? results.get(message.tool_call_id) : undefined);
        const changed = before === undefined ? situation.made("summary", text) : situation.replaced(before, text);
        theirs.set(changed, message);
        ours.set(message, { message: changed, content: message.content });
        return changed;
      }),
  };
}

function translate({ kind, text, said = "", calls = [], call }: RuleMessage): BaseMessage {
  if (kind === "response") {
    const tool_calls = calls.map(({ id, name, input }) => ({ id, name, args: input as Record<string, unknown> }));
    return new AIMessage({ content: said, tool_calls });
  }
  if (kind !== "result" || call === undefined) return new HumanMessage(text);
  return new ToolMessage({ tool_call_id: call.id, name: call.name, content: text });
}

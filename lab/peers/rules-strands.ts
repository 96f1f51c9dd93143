import type { Rule, RuleMessage, RuleSituation } from "@palimpsest/observe/replay";
import { Message, SummarizingConversationManager, TextBlock, ToolResultBlock, ToolUseBlock } from "@strands-agents/sdk";
import { compactAtLimit } from "./compact-at-limit.ts";

const THRESHOLD = 0.7;

/** Its summarizing manager with proactive compression, whose default is 70% of the window: the older 30% of the messages at a time. */
export const strandsSummarizing: Rule = {
  name: "strands-summarizing",
  about: "SummarizingConversationManager, proactive: at 70% of the window the older 30% of the messages are summarized",
  source: "@strands-agents/sdk 1.19.0",
  begin() {
    const manager = new SummarizingConversationManager({ proactiveCompression: true });
    const theirs = new WeakMap<RuleMessage, Message>();
    const ours = new WeakMap<Message, RuleMessage>();
    return {
      async prepare(messages, situation) {
        if (situation.sizeOf(messages) < THRESHOLD * situation.windowTokens) return { kept: messages };
        const agent = { messages: messages.map((message) => remember(message, theirs, ours)) };
        await manager.reduce({ agent, model: summarizer(situation) } as never);
        const kept = agent.messages.map((message) => ours.get(message) ?? situation.made("summary", textOf(message)));
        return { kept: compactAtLimit(kept, situation) };
      },
    };
  },
};

function remember(
  message: RuleMessage,
  theirs: WeakMap<RuleMessage, Message>,
  ours: WeakMap<Message, RuleMessage>,
): Message {
  const translated = theirs.get(message) ?? translate(message);
  theirs.set(message, translated);
  ours.set(translated, message);
  return translated;
}

function summarizer(situation: RuleSituation) {
  return {
    async *streamAggregated(messages: readonly Message[]) {
      const text = situation.summarizeText(messages.map(textOf).join("\n"));
      yield* [];
      return { message: new Message({ role: "assistant", content: [new TextBlock(text)] }) };
    },
  };
}

function textOf({ content }: Message): string {
  return content
    .map((block) => {
      if (block.type === "textBlock") return block.text;
      if (block.type === "toolUseBlock") return JSON.stringify(block.input);
      return block.type === "toolResultBlock"
        ? block.content.map((part) => ("text" in part ? part.text : "")).join("\n")
        : "";
    })
    .join("\n");
}

function translate({ kind, text, said = "", calls = [], call }: RuleMessage): Message {
  if (kind === "response") {
    const uses = calls.map(({ id, name, input }) => new ToolUseBlock({ toolUseId: id, name, input: input as never }));
    return new Message({ role: "assistant", content: [...(said === "" ? [] : [new TextBlock(said)]), ...uses] });
  }
  if (kind !== "result" || call === undefined) return new Message({ role: "user", content: [new TextBlock(text)] });
  const result = new ToolResultBlock({ toolUseId: call.id, status: "success", content: [new TextBlock(text)] });
  return new Message({ role: "user", content: [result] });
}

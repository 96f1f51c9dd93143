import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { Rule } from "@palimpsest/observe/replay";
import { createSummarizationMiddleware, type StateBackend } from "deepagents";
import { createTranslation } from "./rules-langchain.ts";

interface ModelCall {
  readonly messages: BaseMessage[];
  readonly state: object;
  readonly model: object;
}

/** Its summarization as it comes for a model whose window it knows: at 85% of it, by its own count; a tenth of the window stays. */
export const deepagents: Rule = {
  name: "deepagents",
  about: "its summarization: at 85% of the window by its own count; a tenth stays, the rest is summarized",
  source: "deepagents 1.14.1",
  begin() {
    const translation = createTranslation();
    let answer: (prompt: string) => string = () => "";
    let state: object = {};
    const files = { write: async () => ({}), read: async () => "", edit: async () => ({}) };
    const model = (maxInputTokens: number) => ({
      profile: { maxInputTokens },
      invoke: async (prompt: readonly BaseMessage[]) => new AIMessage(answer(String(prompt[0]!.content))),
    });
    const middleware = createSummarizationMiddleware({ backend: files as unknown as StateBackend } as never);
    const call = middleware.wrapModelCall as unknown as (
      request: ModelCall,
      handler: (request: ModelCall) => Promise<AIMessage>,
    ) => Promise<AIMessage | { readonly update?: object }>;
    return {
      async prepare(messages, situation) {
        answer = situation.summarizeText;
        let sent: readonly BaseMessage[] = [];
        const request = { messages: translation.take(messages), state, model: model(situation.windowTokens) };
        const response = await call(request, async ({ messages: wanted }) => {
          sent = wanted;
          const tokens = situation.sizeOf(translation.back(wanted, situation));
          if (tokens > situation.windowTokens) throw new ContextOverflowError(`${tokens} tokens`);
          return new AIMessage("");
        });
        if (!(response instanceof AIMessage)) state = { ...state, ...response.update };
        return { kept: messages, sent: translation.back(sent, situation) };
      },
    };
  },
};

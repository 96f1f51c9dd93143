import type { Rule } from "@palimpsest/observe/replay";
import { aiSdkPrune } from "./rules-ai-sdk.ts";
import { deepagents } from "./rules-deepagents.ts";
import { langchainEditing, langchainSummarization } from "./rules-langchain.ts";
import { mastraTokenLimiter } from "./rules-mastra.ts";
import { strandsSummarizing } from "./rules-strands.ts";

/** What each library does with the conversation before a request, by calling it. */
export const rules: readonly Rule[] = [
  langchainEditing,
  langchainSummarization,
  deepagents,
  aiSdkPrune,
  mastraTokenLimiter,
  strandsSummarizing,
];

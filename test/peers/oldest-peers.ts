/** The oldest release of each client and library that we take, installed under a name of its own. */
export const OLDEST_PEERS: Readonly<Record<string, string>> = {
  "@ai-sdk/anthropic": "oldest-ai-sdk-anthropic",
  "@ai-sdk/openai": "oldest-ai-sdk-openai",
  "@ai-sdk/provider": "oldest-ai-sdk-provider",
  "@anthropic-ai/sdk": "oldest-anthropic",
  "@aws-sdk/client-bedrock-runtime": "oldest-bedrock-runtime",
  "@google/genai": "oldest-google-genai",
  "@langchain/core": "oldest-langchain-core",
  "@mastra/core": "oldest-mastra-core",
  "@openai/agents": "oldest-openai-agents",
  "@opentelemetry/api": "oldest-opentelemetry-api",
  ai: "oldest-ai",
  langchain: "oldest-langchain",
  openai: "oldest-openai",
  zod: "oldest-zod",
};

/** The tests that use those: they run twice, with the newest releases and with the oldest. */
export const TESTS_OF_PEERS: readonly string[] = [
  "adapters/ai-sdk/src/**/*.test.ts",
  "adapters/langchain/src/**/*.test.ts",
  "adapters/openai-agents/src/**/*.test.ts",
  "packages/palimpsest/src/providers/**/*.test.ts",
  "packages/palimpsest/src/turn/interruption.test.ts",
  "packages/palimpsest/src/schema/tool.test.ts",
  "test/telemetry/*.test.ts",
  "test/peers/*.test.ts",
];

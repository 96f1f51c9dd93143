import { codex, geminiCli, opencode, palimpsestAgent, qwenCode } from "./agent-contestants.ts";
import type { Contestant } from "./contestant.ts";
import { loopContestant } from "./loop-contestant.ts";
import { peerContestant } from "./peer-contestant.ts";
import { versionsOf } from "./versions-of.ts";

const anthropic = { api: "anthropic-messages" } as const;
const ours = { kind: "ours", ...anthropic, summaryPrompt: /<summary> block/ } as const;
const here = (file: string): URL => new URL(`./contestants/${file}`, import.meta.url);
const ofWorkspace = (...names: string[]) => versionsOf(import.meta.url, names).join(" ");

/** All contestants, ours first. A new one is a file and an entry here: docs/gauntlet.md. */
export const CONTESTANTS: readonly Contestant[] = [
  loopContestant({
    ...ours,
    name: "palimpsest-library",
    module: here("palimpsest-library.ts"),
    version: () => ofWorkspace("palimpsest", "@anthropic-ai/sdk"),
  }),
  loopContestant({
    ...ours,
    name: "palimpsest-ai-sdk",
    module: here("palimpsest-ai-sdk.ts"),
    version: () => ofWorkspace("@palimpsest/ai-sdk", "ai"),
  }),
  palimpsestAgent,
  loopContestant({
    ...anthropic,
    name: "do-nothing",
    kind: "reference",
    module: here("do-nothing.ts"),
    version: () => ofWorkspace("@anthropic-ai/sdk"),
  }),
  loopContestant({
    ...anthropic,
    name: "oracle",
    kind: "reference",
    module: here("oracle.ts"),
    version: () => ofWorkspace("@anthropic-ai/sdk"),
  }),
  peerContestant({ ...anthropic, name: "langchain-summarization", packages: ["langchain", "@langchain/anthropic"] }),
  peerContestant({ ...anthropic, name: "langchain-editing", packages: ["langchain", "@langchain/anthropic"] }),
  peerContestant({ ...anthropic, name: "deepagents", packages: ["deepagents", "langchain"] }),
  peerContestant({ ...anthropic, name: "ai-sdk-prune", packages: ["ai", "@ai-sdk/anthropic"] }),
  peerContestant({ ...anthropic, name: "mastra-memory", packages: ["@mastra/memory", "@mastra/core"] }),
  opencode,
  codex,
  qwenCode,
  geminiCli,
  peerContestant({ api: "openai-responses", name: "openai-agents-compaction", packages: ["@openai/agents", "openai"] }),
];

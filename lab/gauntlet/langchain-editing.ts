import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import type { OpenLoop } from "../src/gauntlet/contestant.ts";
import { openLangchain } from "./langchain-loop.ts";

/** Clears old results of tools; three are kept, as by default. */
export const open: OpenLoop = openLangchain((_, { windowTokens }) =>
  contextEditingMiddleware({
    edits: [new ClearToolUsesEdit({ trigger: { tokens: Math.round(0.7 * windowTokens) }, keep: { messages: 3 } })],
  }),
);

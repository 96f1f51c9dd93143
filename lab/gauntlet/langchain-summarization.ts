import { summarizationMiddleware } from "langchain";
import type { OpenLoop } from "../src/gauntlet/contestant.ts";
import { openLangchain } from "./langchain-loop.ts";

/** The middleware as its documentation shows it: a trigger by tokens, and twenty messages that are kept. */
export const open: OpenLoop = openLangchain((model, { windowTokens }) =>
  summarizationMiddleware({ model, trigger: { tokens: Math.round(0.7 * windowTokens) }, keep: { messages: 20 } }),
);

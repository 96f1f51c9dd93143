import type { Accounting } from "./account.ts";

/** The tokens in the context window by origin, largest first. */
export function accountingRows(accounting: Accounting): readonly (readonly [name: string, tokens: number])[] {
  const named = (what: string, tokensBy: Readonly<Record<string, number>>): [string, number][] =>
    Object.entries(tokensBy).map(([name, count]) => [`${what} ${name}`, count]);
  const attachments = Object.entries(accounting.attachments).map(([type, { tokens: count }]) => [type, count] as const);
  const rows: readonly [string, number][] = [
    ["system prompt", accounting.systemTokens],
    ["tool definitions", accounting.toolDefinitionTokens],
    ["your messages, summaries", accounting.humanTokens],
    ["the model's answers", accounting.assistantTokens],
    ...named("tool calls:", accounting.toolCallTokens),
    ...named("tool results:", accounting.toolResultTokens),
    ["output of your commands", accounting.commandOutputTokens],
    ...named("attached:", Object.fromEntries(attachments)),
    ["images, documents", accounting.otherTokens],
  ];
  return rows.filter(([, count]) => count > 0).toSorted(([, one], [, other]) => other - one);
}

import type { Accounting, SessionSize } from "palimpsest/core";
import { accountingRows } from "palimpsest/inspect";
import { COMMANDS } from "../cli/command-list.ts";
import { compactionRows } from "../cli/compaction-text.ts";
import { table } from "../text/table.ts";
import { EXIT } from "./exit-codes.ts";
import { inSession } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows what fills the context window. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.context);
  return inSession(terminal, { id: positionals[0], access: "read" }, async (session) => {
    const [size, accounting] = [session.view.size(), session.view.accounting()];
    await terminal.print(
      values.json ? JSON.stringify({ session: session.id, size, accounting }) : contextText(size, accounting),
    );
    return EXIT.done;
  });
}

/** How full the context window is, and when it is compacted. */
export function sizeText({ tokens, windowTokens, percentLeft, level, ...size }: SessionSize): string {
  const { compaction, blockingTokens } = size;
  const until = compaction.policy === "off" ? "" : " until compaction";
  return [
    `${count(tokens)} of ${count(windowTokens)} tokens, ${percentLeft}% left${until} (${level})`,
    table([...compactionRows(compaction), ["full at", `${count(blockingTokens)} tokens`]]),
  ].join("\n");
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

export function contextText(size: SessionSize, accounting: Accounting): string {
  const filled = accountingRows(accounting);
  const most = Math.max(1, ...filled.map(([, count]) => count));
  return [
    sizeText(size),
    "",
    table(filled.map(([name, count]) => [name, count, "#".repeat(Math.max(1, Math.round((count / most) * 40)))])),
    ...headText(accounting, Number.POSITIVE_INFINITY),
    ...duplicatesText(accounting),
  ].join("\n");
}

/** What each tool costs every request, most expensive first, and what deferred tools would cost. @param most named; the rest is summed up */
export function headText({ toolDefinitions, deferredTools }: Accounting, most: number): readonly string[] {
  const costs = Object.entries(toolDefinitions);
  if (costs.length === 0) return [];
  const sum = (rows: readonly (readonly [string, number])[]): string =>
    count(rows.reduce((total, [, tokens]) => total + tokens, 0));
  const others = costs.slice(most);
  const named = costs.slice(0, most).map(([name, tokens]) => `${name} ${count(tokens)}`);
  const rest = others.length === 0 ? [] : [`${others.length} more ${sum(others)}`];
  const deferred = Object.entries(deferredTools);
  const later = `${deferred.length} deferred tools: ${sum(deferred)} tokens, sent only once a tool is loaded`;
  return ["", `Tools, in every request: ${[...named, ...rest].join(", ")}`, ...(deferred.length === 0 ? [] : [later])];
}

/** The cost of files that were read more than once; empty without any. */
export function duplicatesText({ duplicateReads: { fileCount, wastedTokens } }: Accounting): readonly string[] {
  return wastedTokens > 0
    ? ["", `${fileCount} files were read more than once, which wastes ${count(wastedTokens)} tokens.`]
    : [];
}

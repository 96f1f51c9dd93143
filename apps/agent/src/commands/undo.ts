import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inSession } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { AgentSession } from "../extension/open-agent-session.ts";

/** Takes the newest compaction back: the model sees again what it had seen before. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.undo);
  return inSession(terminal, { id: positionals[0] }, async (session) => {
    const undone = await undoNewest(session, "palimpsest undo");
    const told = { session: session.id, ...undone };
    await terminal.print(values.json ? JSON.stringify(told) : undoneText(undone));
    return undone.kind === "undone" ? EXIT.done : EXIT.failed;
  });
}

export type Undone =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "undone";
      readonly boundary: number;
      readonly from: number;
      readonly to: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    };

/** Takes back the newest compaction that is in effect. */
export async function undoNewest(session: AgentSession, reason: string): Promise<Undone> {
  const newest = (await session.history.explain()).find(({ inEffect }) => inEffect === "yes");
  if (newest === undefined) return { kind: "nothing" };
  const { boundary, from, to } = newest;
  const tokensBefore = session.view.size().tokens;
  await session.history.restore(boundary, reason);
  return { kind: "undone", boundary, from, to, tokensBefore, tokensAfter: session.view.size().tokens };
}

export function undoneText(undone: Undone): string {
  if (undone.kind === "nothing") return "There is nothing to undo.";
  const { from, to, tokensBefore, tokensAfter } = undone;
  return `Undone: entries ${from} to ${to} are in view again (${tokensBefore} -> ${tokensAfter} tokens).`;
}

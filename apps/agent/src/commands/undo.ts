import type { AgentSession } from "../extension/open-agent-session.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inSession } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Undoes the newest compaction, so that the model sees the whole conversation again. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions undo"]);
  return inSession(terminal, { id: positionals[0] }, async (session) => {
    const undone = await undoNewest(session, "palimpsest sessions undo");
    const outcome = { session: session.id, ...undone };
    await terminal.print(values.json ? JSON.stringify(outcome) : undoneText(undone));
    return undone.kind === "undone" ? EXIT.done : EXIT.failed;
  });
}

type Undone =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "undone";
      readonly boundary: number;
      readonly from: number;
      readonly to: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    };

/** Undoes the newest compaction that is in effect. */
export async function undoNewest(session: AgentSession, reason: string): Promise<Undone> {
  const newest = (await session.history.explain()).find(({ inEffect }) => inEffect === "yes");
  if (newest === undefined) return { kind: "nothing" };
  const { boundary, from, to } = newest;
  const tokensBefore = session.view.size().tokens;
  await session.history.restore(boundary, reason);
  return { kind: "undone", boundary, from, to, tokensBefore, tokensAfter: session.view.size().tokens };
}

export function undoneText(undone: Undone): string {
  if (undone.kind === "nothing") return "Nothing to undo: no compaction is in effect.";
  const { from, to, tokensBefore, tokensAfter } = undone;
  const [before, after] = [tokensBefore, tokensAfter].map((tokens) => tokens.toLocaleString("en-US"));
  return `Undone: the model sees entries ${from} to ${to} again (${before} -> ${after} tokens).`;
}

import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inSession } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";

/** Takes the newest compaction back: the model sees again what it had seen before. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.undo);
  return inSession(terminal, { id: positionals[0] }, async (session) => {
    const newest = (await session.explain()).find(({ inEffect }) => inEffect === "yes");
    if (newest === undefined) {
      await terminal.print(
        values.json ? JSON.stringify({ session: session.id, kind: "nothing" }) : "There is nothing to undo.",
      );
      return EXIT.failed;
    }
    const { boundary, from, to } = newest;
    const tokensBefore = session.size().tokens;
    await session.restore(boundary, "palimpsest undo");
    const tokensAfter = session.size().tokens;
    const undone = { session: session.id, kind: "undone", boundary, from, to, tokensBefore, tokensAfter };
    const text = `Undone: entries ${from} to ${to} are in view again (${tokensBefore} -> ${tokensAfter} tokens).`;
    await terminal.print(values.json ? JSON.stringify(undone) : text);
    return EXIT.done;
  });
}

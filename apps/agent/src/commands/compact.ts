import type { CompactOptions } from "palimpsest";
import { outcomeText } from "../text/plain-names.ts";
import { findSession } from "../workspace/stored-sessions.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { openStoredAgent } from "./open-stored-agent.ts";
import { countOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Compacts the conversation, or a part of it. The text after the command says what the summary must keep. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["sessions compact"]);
  const instructions = positionals.join(" ");
  const part = partOf(countOf("--from", values.from), countOf("--up-to", values["up-to"]));
  return inProject(terminal, async (project) => {
    const stored = await findSession(project.store, values.session);
    const signal = terminal.interruption();
    const agent = await openStoredAgent({ values, stored, project, terminal });
    if (agent === undefined) return EXIT.failed;
    try {
      const outcome = await agent.session.compact({
        signal,
        ...part,
        ...(instructions === "" ? {} : { instructions }),
      });
      await terminal.print(values.json ? JSON.stringify({ session: stored.id, ...outcome }) : outcomeText(outcome));
      if (outcome.kind === "aborted") return EXIT.interrupted;
      return outcome.kind === "compacted" ? EXIT.done : EXIT.failed;
    } finally {
      await agent.close();
    }
  });
}

function partOf(from: number | undefined, upTo: number | undefined): Pick<CompactOptions, "from" | "upTo"> {
  if (from !== undefined && upTo !== undefined) throw new UsageError("Use --from ENTRY or --up-to ENTRY, not both.");
  if (from !== undefined) return { from };
  return upTo === undefined ? {} : { upTo };
}

import type { CompactionOutcome } from "palimpsest";
import type { CompactOptions } from "palimpsest/core";
import { COMMANDS } from "../cli/command-list.ts";
import { connectChosen } from "../cli/connect-chosen.ts";
import { withEndpoint } from "../cli/endpoint.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { openAgent } from "../cli/open-agent.ts";
import { inProject } from "../cli/open-project.ts";
import { countOf, readArguments, UsageError } from "../cli/read-arguments.ts";
import { sayNotices } from "../cli/say-notices.ts";
import type { Terminal } from "../cli/terminal.ts";
import { findSession } from "../workspace/stored-sessions.ts";

/** Summarizes the conversation now, or a part of it. The words behind the command say what the summary must keep. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.compact);
  const instructions = positionals.join(" ");
  const part = partOf(countOf("--from", values.from), countOf("--up-to", values["up-to"]));
  return inProject(terminal, async ({ folder, places, store }) => {
    const { id, usedBefore } = await findSession(store, values.session);
    const before = await withEndpoint(usedBefore, places.folderOf(id));
    const connection = await connectChosen(values, terminal, before);
    if (connection === undefined) return EXIT.failed;
    const { choice, provider, modelFacts } = connection;
    const signal = terminal.interruption();
    const agent = await openAgent({
      ...{ places, folder, environment: terminal.environment, store, provider, model: choice.model, modelFacts },
      ...{ id, rules: [], clock: terminal.clock, onEvent: sayNotices(terminal) },
    });
    try {
      const outcome = await agent.session.compact({
        signal,
        ...part,
        ...(instructions === "" ? {} : { instructions }),
      });
      await terminal.print(values.json ? JSON.stringify({ session: id, ...outcome }) : outcomeText(outcome));
      if (outcome.kind === "aborted") return EXIT.interrupted;
      return outcome.kind === "compacted" ? EXIT.done : EXIT.failed;
    } finally {
      await agent.close();
    }
  });
}

function partOf(from: number | undefined, upTo: number | undefined): Pick<CompactOptions, "from" | "upTo"> {
  if (from !== undefined && upTo !== undefined) throw new UsageError("--from ENTRY or --up-to ENTRY, not both.");
  if (from !== undefined) return { from };
  return upTo === undefined ? {} : { upTo };
}

/** What came of a compaction, in words. */
export function outcomeText(outcome: CompactionOutcome): string {
  if (outcome.kind === "aborted") return "Aborted. The session is as it was.";
  if (outcome.kind !== "compacted") return `Not compacted: ${outcome.why}`;
  const { tokensBefore, tokensAfter, rung, modelCalls, priceUsd } = outcome;
  const price = priceUsd === undefined ? "" : `, $${priceUsd.toFixed(4)}`;
  return `Compacted: ${tokensBefore} -> ${tokensAfter} tokens (by ${rung}, ${modelCalls} calls${price}). palimpsest undo takes it back.`;
}

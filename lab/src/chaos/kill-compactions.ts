import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openSession } from "palimpsest";
import { readPayload } from "palimpsest/inspect";
import { sqliteStore } from "palimpsest/sqlite";
import { checkChain, EMPTY_LOG, sha256 } from "palimpsest/store-parts";
import type { CompactionLine } from "./compaction-process.ts";
import { readLog } from "./open-log.ts";
import { simulatedModel } from "./simulated-model.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

export interface CompactionLosses {
  kills: number;
  /** Kills while a compaction was under way. */
  killsInside: number;
  /** Boundaries that were found afterwards, told or not. */
  boundaries: number;
  /** Messages that were acknowledged and cannot be recalled word for word. */
  lost: number;
  /** Boundaries that were told and are not there, are there in part, or a chain that is broken. */
  torn: number;
  /** Sessions that could not be opened, or whose next request lacks the first message or the newest. */
  unusable: number;
}

/** A log that has been through this many kills is long enough. */
const KILLS_PER_LOG = 10;

/** Kills a process that compacts, at random moments, and looks whether the view is the old one or the new one. */
export async function killCompactions(kills: number): Promise<CompactionLosses> {
  const losses: CompactionLosses = { kills, killsInside: 0, boundaries: 0, lost: 0, torn: 0, unusable: 0 };
  await inTemporaryFolder(async (folder) => {
    let said: Statement[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const session = `session-${Math.floor(kill / KILLS_PER_LOG)}`;
      if (kill % KILLS_PER_LOG === 0) said = [];
      const lines = await runAndKill(folder, session);
      said.push(...lines.filter((line) => line.kind === "said"));
      if (lines.findLast(({ kind }) => kind !== "said")?.kind === "compacting") losses.killsInside++;
      const told = lines.flatMap((line) => (line.kind === "compacted" ? [line.boundary] : []));
      await audit(folder, session, { said, told, losses });
    }
  });
  return losses;
}

type Statement = Extract<CompactionLine, { kind: "said" }>;

async function runAndKill(folder: string, session: string): Promise<readonly CompactionLine[]> {
  const script = fileURLToPath(new URL("./compaction-process.ts", import.meta.url));
  const args = ["--conditions=palimpsest-source", "--no-warnings", script, folder, session];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  const compacting = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    output += chunk;
    if (output.includes('"compacting"')) compacting.resolve();
  });
  const ended = Promise.all([once(child, "exit"), once(child.stdout, "end")]).then(() => compacting.resolve());
  await compacting.promise;
  await sleep(Math.random() * 120);
  child.kill("SIGKILL");
  await ended;
  // What was cut by the kill was not told to its end.
  return output
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as CompactionLine);
}

interface Told {
  readonly said: readonly Statement[];
  readonly told: readonly number[];
  readonly losses: CompactionLosses;
}

async function audit(folder: string, session: string, { said, told, losses }: Told): Promise<void> {
  const entries = await readLog(folder, session);
  losses.torn += checkChain(entries, EMPTY_LOG, sha256).length;
  const boundaries = entries.map(readPayload).filter(({ kind }) => kind === "boundary");
  losses.boundaries = Math.max(losses.boundaries, boundaries.length);
  losses.torn += told.filter((boundary) => !boundaries.some(({ sequence }) => sequence === boundary)).length;
  const store = sqliteStore({ folder });
  try {
    const { provider, model } = simulatedModel(() => true);
    const opened = await openSession({ id: session, store, provider, model, takeover: "always" });
    for (const { entry, text } of said) {
      const recalled = await opened.recall({ entry });
      if (recalled.kind !== "text" || recalled.text !== text) losses.lost++;
    }
    const now = `«now ${entries.length}» Go on.`;
    await opened.append(now);
    const request = JSON.stringify(await opened.prepare());
    const isWhole = [said[0]!.text.slice(0, 20), now].every((words) => request.split(words).length === 2);
    if (!isWhole) losses.unusable++;
    await opened.close();
  } catch (error) {
    losses.unusable++;
    console.error(error);
  } finally {
    await store.close();
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openSession } from "palimpsest";
import { readPayload } from "palimpsest/inspect";
import { sqliteStore } from "palimpsest/sqlite";
import { checkChain, EMPTY_LOG, type Entry, sha256 } from "palimpsest/store-parts";
import { readLog } from "./open-log.ts";
import { type PreparingLine, preparingPolicy } from "./preparing-process.ts";
import { speakingModel } from "./simulated-model.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

export interface PreparationLosses {
  kills: number;
  /** Kills while a model wrote a summary that nobody waited for. */
  killsWhilePreparing: number;
  /** Kills while a summary was installed. */
  killsWhileInstalling: number;
  /** In all logs: summaries that were prepared, dropped and installed, and the other boundaries. */
  prepared: number;
  dropped: number;
  installed: number;
  boundariesWithout: number;
  rewinds: number;
  /** Messages that were acknowledged and cannot be recalled word for word. */
  lost: number;
  /** Broken chains. */
  torn: number;
  installedTwice: number;
  installedAfterDrop: number;
  /** Installed for a range that is not, or not wholly, on the branch of the boundary. */
  installedForRewoundRange: number;
  /** Installed although content of the range was replaced or restored after the summary was written. */
  installedForChangedRange: number;
  /** Sessions that could not be opened, or whose next request lacks the newest message. */
  unusable: number;
}

/** A log that has been through this many kills is long enough. */
const KILLS_PER_LOG = 10;
/** The processes are killed shortly after one of these. */
const MOMENTS = ["preparing", "installing", "ended"] as const;
/** The longest time from the beginning of a preparation or an installation to the kill. */
const MOST_MS = 60;

/** Kills a process while it prepares or installs a summary, and looks what its log says. */
export async function killPreparations(kills: number): Promise<PreparationLosses> {
  const losses: PreparationLosses = {
    kills,
    killsWhilePreparing: 0,
    killsWhileInstalling: 0,
    ...{ prepared: 0, dropped: 0, installed: 0, boundariesWithout: 0, rewinds: 0 },
    ...{ lost: 0, torn: 0, installedTwice: 0, installedAfterDrop: 0 },
    ...{ installedForRewoundRange: 0, installedForChangedRange: 0, unusable: 0 },
  };
  await inTemporaryFolder(async (folder) => {
    let said: Statement[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const session = `session-${Math.floor(kill / KILLS_PER_LOG)}`;
      if (kill % KILLS_PER_LOG === 0) said = [];
      const lines = await runAndKill(folder, session, MOMENTS[kill % MOMENTS.length]!);
      said.push(...lines.filter((line) => line.kind === "said"));
      const [preparing, installing] = [underWay(lines, "preparing"), underWay(lines, "installing")];
      if (preparing) losses.killsWhilePreparing++;
      if (installing) losses.killsWhileInstalling++;
      await reopen(folder, session, { said, losses });
      const isLast = kill % KILLS_PER_LOG === KILLS_PER_LOG - 1 || kill === kills - 1;
      if (isLast) judge(await readLog(folder, session), losses);
    }
  });
  return losses;
}

type Statement = Extract<PreparingLine, { kind: "said" }>;

/** Whether something had begun and not ended. A wait for a summary is a compaction under way, too. */
function underWay(lines: readonly PreparingLine[], what: "preparing" | "installing"): boolean {
  const begun = lines.findLastIndex(({ kind }) => kind === what);
  const ends = what === "preparing" ? ["prepared", "dropped"] : ["ended"];
  return begun >= 0 && !lines.slice(begun).some(({ kind }) => ends.includes(kind));
}

async function runAndKill(
  folder: string,
  session: string,
  at: PreparingLine["kind"],
): Promise<readonly PreparingLine[]> {
  const script = fileURLToPath(new URL("./preparing-process.ts", import.meta.url));
  const args = ["--conditions=palimpsest-source", "--no-warnings", script, folder, session];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  const begun = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    output += chunk;
    if (output.includes(`"${at}"`)) begun.resolve();
  });
  const ended = Promise.all([once(child, "exit"), once(child.stdout, "end")]).then(() => begun.resolve());
  await begun.promise;
  await sleep(Math.random() * MOST_MS);
  child.kill("SIGKILL");
  await ended;
  // What was cut by the kill was not told to its end.
  return output
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as PreparingLine);
}

interface Told {
  readonly said: readonly Statement[];
  readonly losses: PreparationLosses;
}

/** Opens the session again, in this process. What was said can be recalled, and the next request is valid. */
async function reopen(folder: string, id: string, { said, losses }: Told): Promise<void> {
  const store = sqliteStore({ folder });
  try {
    const { provider, model } = speakingModel();
    const policy = preparingPolicy("wait");
    const session = await openSession({ id, store, provider, model, policy, takeover: "always" });
    for (const { entry, text } of said) {
      const recalled = await session.recall({ entry });
      if (recalled.kind !== "text" || recalled.text !== text) losses.lost++;
    }
    const now = `«now ${session.history.newestEntry}» Go on.`;
    await session.append(now);
    const request = JSON.stringify(await session.prepare());
    if (request.split(now).length !== 2) losses.unusable++;
    await session.close();
  } catch (error) {
    losses.unusable++;
    console.error(error);
  } finally {
    await store.close();
  }
}

/** Holds every installed summary against the log, without the engine's own state. */
function judge(entries: readonly Entry[], losses: PreparationLosses): void {
  losses.torn += checkChain(entries, EMPTY_LOG, sha256).length;
  const reads = entries.map(readPayload);
  const parents = new Map(entries.map(({ sequence, parent }) => [sequence, parent]));
  const installed = new Set<number>();
  const dropped = new Set<number>();
  const written = new Map<number, { readonly from: number; readonly to: number }>();
  for (const read of reads) {
    if (read.kind === "rewind") losses.rewinds++;
    if (read.kind === "prepared") {
      const { payload, sequence } = read;
      if (payload.step === "written") written.set(sequence, payload);
      else dropped.add(payload.of);
    }
    if (read.kind !== "boundary") continue;
    const entry = read.payload.compaction?.prepared?.entry;
    if (entry === undefined) {
      losses.boundariesWithout++;
      continue;
    }
    if (installed.has(entry)) losses.installedTwice++;
    if (dropped.has(entry)) losses.installedAfterDrop++;
    installed.add(entry);
    const range = written.get(entry);
    const branch = branchOf(read.sequence, parents);
    const isWhole = range !== undefined && allOf(range, (one) => branch.has(one));
    if (!isWhole) losses.installedForRewoundRange++;
    else if (reads.some((one) => changes(one, range, { after: entry, before: read.sequence, branch })))
      losses.installedForChangedRange++;
  }
  losses.prepared += written.size;
  losses.dropped += dropped.size;
  losses.installed += installed.size;
}

function branchOf(sequence: number, parents: ReadonlyMap<number, number>): ReadonlySet<number> {
  const branch = new Set<number>();
  for (let at = sequence; at > 0; at = parents.get(at) ?? 0) branch.add(at);
  return branch;
}

function allOf({ from, to }: { readonly from: number; readonly to: number }, is: (entry: number) => boolean): boolean {
  for (let entry = from; entry <= to; entry++) if (!is(entry)) return false;
  return true;
}

interface Between {
  readonly after: number;
  readonly before: number;
  readonly branch: ReadonlySet<number>;
}

/** Whether an entry took content of the range out, or brought content of the range back, after the summary was written. */
function changes(
  read: ReturnType<typeof readPayload>,
  { from, to }: { readonly from: number; readonly to: number },
  { after, before, branch }: Between,
): boolean {
  const { sequence } = read;
  if (sequence <= after || sequence >= before || !branch.has(sequence)) return false;
  if (read.kind !== "restore" && !(read.kind === "replace" && read.payload.reason.startsWith("snipped"))) return false;
  return read.payload.from <= to && read.payload.to >= from;
}

import { appendFile, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { type Owner, type Place, processState, systemProcesses, thisProcess } from "palimpsest/sqlite";
import { makePrivateFolder, writePrivateFile } from "./private-files.ts";

/**
 * Records the times at which the agent's commands ran in a project. If the status of a file changed (ctime) during one
 * of these times, a command may have changed the file. A command can set back a file's modification time, but not its
 * ctime.
 */
export interface CommandTimes {
  /** Records the start of a command, before it runs. @returns a function that records its end */
  begin(): Promise<() => Promise<void>>;
  /** Whether a file that changed at this time may have been changed by a command. */
  covers(changedAtMs: number): Promise<boolean>;
  /** Records a file that the user has to review, for `palimpsest trust`. */
  noteUnseen(path: string): Promise<void>;
  /** The recorded files to review, without duplicates. */
  unseen(): Promise<readonly string[]>;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A command without a recorded end. */
interface Begun {
  readonly name: string;
  readonly from: number;
  readonly owner: Owner | undefined;
}

interface Noted {
  readonly bytes: number;
  readonly ended: readonly Span[];
  readonly begun: readonly Begun[];
  /** The lines that name files to review. */
  readonly unseen: readonly string[];
}

const UNSEEN = "unseen ";
/** The precision of file times on common file systems. */
const COARSE_MS = 50;
/** A longer file is rewritten, with neighboring times merged. */
const MAX_BYTES = 65_536;
const NEIGHBOR_MS = 60_000;

/**
 * Opens the record of command times. @param file a file with one line for each start and each end; several sessions may
 * write to it
 */
export function openCommandTimes(
  file: string,
  place: Place = { host: hostname(), processes: systemProcesses(), clock: { now: Date.now } },
): CommandTimes {
  const { now } = place.clock;
  const id = `${process.pid}-${now().toString(36)}`;
  let count = 0;
  const noted = new Set<string>();
  const read = async (): Promise<Noted> => readLines(await readFile(file, "utf8").catch(() => ""));
  async function add(line: string): Promise<void> {
    await makePrivateFolder(dirname(file));
    await appendFile(file, `${line}\n`, { mode: 0o600 });
  }
  return {
    async begin() {
      const name = `${id}-${++count}`;
      await add(`begin ${name} ${now()} ${JSON.stringify(thisProcess(place))}`);
      return () => add(`end ${name} ${now()}`);
    },
    async covers(changedAtMs) {
      const { bytes, ended, begun, unseen } = await read();
      const spans = [...ended, ...begun.map(({ from }) => ({ from, to: now() + COARSE_MS }))];
      // A sandbox ends with its session, so the commands of a killed session have ended too.
      const dead = begun.filter(({ owner }) => owner === undefined || !mayRun(owner, place));
      for (const { name } of dead) await add(`end ${name} ${now()}`);
      if (begun.length === 0 && bytes > MAX_BYTES) await writeAnew(file, ended, unseen);
      return spans.some(({ from, to }) => from - COARSE_MS <= changedAtMs && changedAtMs <= to + COARSE_MS);
    },
    async noteUnseen(path) {
      if (noted.has(path)) return;
      noted.add(path);
      await add(UNSEEN + JSON.stringify(path));
    },
    async unseen() {
      const { unseen } = await read();
      return [...new Set(unseen.map((line) => String(JSON.parse(line.slice(UNSEEN.length)))))];
    },
  };
}

function readLines(text: string): Noted {
  const begun = new Map<string, Begun>();
  const ended: Span[] = [];
  const lines = text.split("\n");
  for (const line of lines) {
    const [, what, name = "", time, owner] = /^(begin|end) (\S+) (\d+)(?: (.+))?$/.exec(line) ?? [];
    if (what === "begin") begun.set(name, { name, from: Number(time), owner: owner && JSON.parse(owner) });
    const from = begun.get(name)?.from;
    if (what !== "end" || from === undefined) continue;
    ended.push({ from, to: Number(time) });
    begun.delete(name);
  }
  const unseen = lines.filter((line) => line.startsWith(UNSEEN));
  return { bytes: text.length, ended, begun: [...begun.values()], unseen };
}

async function writeAnew(file: string, spans: readonly Span[], unseen: readonly string[]): Promise<void> {
  const merged: Span[] = [];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from - last.to <= NEIGHBOR_MS)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else merged.push({ from, to });
  }
  const lines = merged.flatMap(({ from, to }, index) => [`begin old-${index} ${from}`, `end old-${index} ${to}`]);
  await writePrivateFile(file, `${[...lines, ...new Set(unseen)].join("\n")}\n`);
}

/**
 * How long to believe that a process of unknown state is running. The state is unknown in another container, or after a
 * restart of the machine.
 */
const MAX_UNKNOWN_MS = 86_400_000;

/** Whether a recorded process may still be running. */
export function mayRun(owner: Owner, place: Place): boolean {
  const state = processState(owner, place);
  return state === "running" || (state === "unknown" && place.clock.now() - owner.renewedAtMs < MAX_UNKNOWN_MS);
}

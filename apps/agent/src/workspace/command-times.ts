import { appendFile, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateFolder, writePrivateFile } from "./private-files.ts";

/**
 * The times at which commands of the agent ran in a project. A file whose status changed (ctime) in one of them was changed by a
 * command, or while one ran. A command cannot set that time back, as it can the time of the last change.
 */
export interface CommandTimes {
  /** Notes that a command begins, before it runs. @returns to be called when it has ended */
  begin(): Promise<() => Promise<void>>;
  covers(changedAtMs: number): Promise<boolean>;
  /** Notes a file that the user has to see, for `palimpsest trust`. */
  noteUnseen(path: string): Promise<void>;
  /** The files that were noted, each once. */
  unseen(): Promise<readonly string[]>;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const UNSEEN = "unseen ";
/** File systems note times by a coarse clock. */
const COARSE_MS = 50;
/** A longer file is written anew, with neighbors as one. */
const MAX_BYTES = 65_536;
const NEIGHBOR_MS = 60_000;

/** @param file holds one line for each begin and each end; several sessions may write to it */
export function openCommandTimes(file: string, now: () => number = Date.now): CommandTimes {
  const id = `${process.pid}-${now().toString(36)}`;
  let count = 0;
  const noted = new Set<string>();
  const read = (): Promise<string> => readFile(file, "utf8").catch(() => "");
  async function add(line: string): Promise<void> {
    await makePrivateFolder(dirname(file));
    await appendFile(file, `${line}\n`, { mode: 0o600 });
  }
  return {
    async begin() {
      const name = `${id}-${++count}`;
      await add(`begin ${name} ${now()}`);
      return () => add(`end ${name} ${now()}`);
    },
    async covers(changedAtMs) {
      const text = await read();
      const spans = readSpans(text, now());
      if (text.length > MAX_BYTES && spans.every(({ to }) => to < now())) await writeAnew(file, spans);
      return spans.some(({ from, to }) => from - COARSE_MS <= changedAtMs && changedAtMs <= to + COARSE_MS);
    },
    async noteUnseen(path) {
      if (noted.has(path)) return;
      noted.add(path);
      await add(`unseen ${JSON.stringify(path)}`);
    },
    async unseen() {
      const lines = (await read()).split("\n").filter((line) => line.startsWith(UNSEEN));
      return [...new Set(lines.map((line) => String(JSON.parse(line.slice(UNSEEN.length)))))];
    },
  };
}

/** A command without an end runs, or its session was killed: nobody knows how long it ran. */
function readSpans(text: string, nowMs: number): readonly Span[] {
  const begun = new Map<string, number>();
  const spans: Span[] = [];
  for (const line of text.split("\n")) {
    const [what, name = "", time] = line.split(" ");
    const at = Number(time);
    if (!Number.isFinite(at)) continue;
    if (what === "begin") begun.set(name, at);
    const from = begun.get(name);
    if (what !== "end" || from === undefined) continue;
    spans.push({ from, to: at });
    begun.delete(name);
  }
  return [...spans, ...[...begun.values()].map((from) => ({ from, to: nowMs + COARSE_MS }))];
}

async function writeAnew(file: string, spans: readonly Span[]): Promise<void> {
  const merged: Span[] = [];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from - last.to <= NEIGHBOR_MS)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else merged.push({ from, to });
  }
  const lines = merged.flatMap(({ from, to }, index) => [`begin old-${index} ${from}`, `end old-${index} ${to}`]);
  await writePrivateFile(file, `${lines.join("\n")}\n`);
}

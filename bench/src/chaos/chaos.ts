import { parseArgs } from "node:util";
import { cutWriteAheadLog } from "./cut-write-ahead-log.ts";
import { damageFiles } from "./damage-files.ts";
import { fillDisk } from "./fill-disk.ts";
import { killCompactions } from "./kill-compactions.ts";
import { killWriters } from "./kill-writers.ts";
import { addLosses } from "./ledger.ts";
import { raceWriters } from "./race-writers.ts";
import { attackAgent } from "./security/attack-agent.ts";

/** How much is tried. The quick run belongs to the gate; figures to quote come from the full one. */
const FULL = {
  kills: 300,
  cutEveryBytes: 1,
  diskRounds: 40,
  processes: 4,
  raceMs: 20_000,
  damagedFiles: 2_000,
  compactionKills: 300,
  attackRaceMs: 10_000,
};
const QUICK = {
  kills: 15,
  cutEveryBytes: 97,
  diskRounds: 6,
  processes: 3,
  raceMs: 3_000,
  damagedFiles: 150,
  compactionKills: 10,
  attackRaceMs: 1_000,
};

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean" }, quick: { type: "boolean" } },
  allowPositionals: true,
});
const size = values.quick ? QUICK : FULL;
const say = (text: string): void => {
  if (!values.json) console.log(text);
};

if (positionals.includes("compaction")) {
  await reportCompactions();
  process.exit();
}

if (positionals.includes("security")) {
  await reportAttacks();
  process.exit();
}

say(`killing a writing process ${size.kills} times ...`);
const killed = await killWriters(size.kills);
say("cutting the write-ahead log ...");
const cut = await cutWriteAheadLog(size.cutEveryBytes);
say("filling the disk, and making it read-only ...");
const disk = await fillDisk(size.diskRounds);
if (disk.skipped !== undefined) say(`  skipped: ${disk.skipped}`);
say(`${size.processes} processes on one session, with pauses and clock jumps ...`);
const raced = await raceWriters(size.processes, size.raceMs);
say(`damaging ${size.damagedFiles} files ...`);
const damaged = await damageFiles(size.damagedFiles);

const losses = [killed, disk.losses, raced].reduce(addLosses);
const figures = {
  sigkills: size.kills,
  wal_cuts: cut.cuts,
  faults: disk.faults,
  faults_not_recovered: disk.notRecovered,
  /** Why there were none, where the machine does not let us mount a disk. */
  faults_skipped: disk.skipped ?? null,
  acknowledged_lost: losses.acknowledgedLost,
  entries_changed: losses.entriesChanged + cut.entriesChanged,
  written_by_fenced: losses.writtenByFenced,
  damaged_files: damaged.damagedFiles,
  damaged_overwritten: damaged.damagedOverwritten,
  damaged_silent: damaged.silent,
  salvaged_false: damaged.falseEntries,
  salvaged_missing_unnamed: damaged.missingUnnamed,
  salvaged_pct: damaged.salvagedPct,
};
console.log(
  values.json
    ? JSON.stringify(figures)
    : Object.entries(figures)
        .map(([key, value]) => `${key.padEnd(28)}${value}`)
        .join("\n"),
);
const mustBeZero = [
  ...[figures.faults_not_recovered, figures.acknowledged_lost, figures.entries_changed, figures.written_by_fenced],
  ...[figures.damaged_overwritten, figures.damaged_silent, figures.salvaged_false, figures.salvaged_missing_unnamed],
];
process.exitCode = mustBeZero.every((count) => count === 0) ? 0 : 1;

/** `chaos compaction`: processes that are killed while they compact. */
async function reportCompactions(): Promise<void> {
  say(`killing a compacting process ${size.compactionKills} times ...`);
  const { kills, killsInside, boundaries, lost, torn, unusable } = await killCompactions(size.compactionKills);
  const found = { kills, kills_inside: killsInside, most_boundaries: boundaries, lost, torn, unusable };
  console.log(values.json ? JSON.stringify(found) : found);
  process.exitCode = lost + torn + unusable === 0 ? 0 : 1;
}

/** `chaos security`: everything that may try to get out of the agent's project. */
async function reportAttacks(): Promise<void> {
  const { groups, cases, escapes, raceAttempts, skipped } = await attackAgent(size.attackRaceMs, say);
  const found = {
    ...{ cases, escapes: escapes.length, race_attempts: raceAttempts, escaped: escapes, skipped },
    by_group: Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, group.cases])),
  };
  console.log(values.json ? JSON.stringify(found) : found);
  process.exitCode = escapes.length === 0 ? 0 : 1;
}

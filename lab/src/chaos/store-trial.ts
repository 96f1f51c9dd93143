import { cutWriteAheadLog } from "./cut-write-ahead-log.ts";
import { damageFiles } from "./damage-files.ts";
import { fillDisk } from "./fill-disk.ts";
import { killWriters } from "./kill-writers.ts";
import { addLosses } from "./ledger.ts";
import { raceWriters } from "./race-writers.ts";
import { heldIfZero, type Trial } from "./trial.ts";

const SIZES = {
  full: { kills: 300, cutEveryBytes: 1, diskRounds: 40, processes: 4, raceMs: 20_000, damagedFiles: 2_000 },
  quick: { kills: 8, cutEveryBytes: 193, diskRounds: 4, processes: 3, raceMs: 2_000, damagedFiles: 75 },
};

export const storeTrial: Trial = {
  name: "chaos store",
  about: "writers killed, logs cut, disks full, processes racing, files damaged",
  async run({ size, say }) {
    const { kills, cutEveryBytes, diskRounds, processes, raceMs, damagedFiles } = SIZES[size];
    say(`killing a writing process ${kills} times ...`);
    const killed = await killWriters(kills);
    say("cutting the write-ahead log ...");
    const cut = await cutWriteAheadLog(cutEveryBytes);
    say("filling the disk, and making it read-only ...");
    const disk = await fillDisk(diskRounds);
    say(`${processes} processes on one session, with pauses and clock jumps ...`);
    const raced = await raceWriters(processes, raceMs);
    say(`damaging ${damagedFiles} files ...`);
    const damaged = await damageFiles(damagedFiles);

    const losses = [killed, disk.losses, raced].reduce(addLosses);
    const found = {
      sigkills: kills,
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
    const lost = [found.faults_not_recovered, found.acknowledged_lost, found.entries_changed, found.written_by_fenced];
    const salvage = [
      found.damaged_overwritten,
      found.damaged_silent,
      found.salvaged_false,
      found.salvaged_missing_unnamed,
    ];
    const outcome = heldIfZero(...lost, ...salvage);
    return { found, outcome, ...(disk.skipped === undefined ? {} : { skipped: [`full disks: ${disk.skipped}`] }) };
  },
};

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import { loadFile, writeInside } from "./open-inside.ts";

/** The minimum number of rounds of each side, however long a busy machine needs for them. */
const LEAST_ROUNDS = 1_000;

/** Repeatedly exchanges project/in for a link to outside/in and back, as fast as possible. */
const SWAPPER = `
  const { existsSync, renameSync, rmSync, symlinkSync, unlinkSync } = require("node:fs");
  const { workerData, parentPort } = require("node:worker_threads");
  const { inside, away, outside } = workerData;
  let swaps = 0;
  const round = () => {
    for (let i = 0; i < 200; i++) {
      try { renameSync(inside, away); symlinkSync(outside, inside); unlinkSync(inside); renameSync(away, inside); swaps++; }
      // The writer may recreate the folder between the two renames.
      catch { try { rmSync(inside, { recursive: true, force: true }); if (existsSync(away)) renameSync(away, inside); } catch {} }
    }
    parentPort.postMessage(swaps);
    setImmediate(round);
  };
  round();
`;

test.skipIf(process.platform !== "linux")(
  "reads and writes nothing outside while a folder is exchanged for a link",
  async () => {
    const { base, folder } = temporaryProject({ "in/a.txt": "inside" });
    const outside = join(base, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "OUTSIDE");
    const workerData = { inside: join(folder, "in"), away: join(folder, "away"), outside };
    const worker = new Worker(SWAPPER, { eval: true, workerData });
    onTestFinished(async () => void (await worker.terminate()));
    let swaps = 0;
    worker.on("message", (count: number) => {
      swaps = count;
    });
    const counts = { read: 0, written: 0, refused: 0 };
    const path = join(folder, "in/a.txt");
    const bothRan = (): boolean => swaps > 100 && counts.read + counts.written > 10 && counts.refused > 0;
    for (let round = 0; round < LEAST_ROUNDS || !bothRan(); round++) {
      const loaded = await loadFile(path, folder).catch(() => undefined);
      if (loaded === undefined) counts.refused++;
      else {
        counts.read++;
        expect(loaded.bytes.toString()).not.toBe("OUTSIDE");
      }
      await writeInside({ path, root: folder, content: "inside" }).then(
        () => counts.written++,
        () => counts.refused++,
      );
    }
    expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("OUTSIDE");
    expect(readdirSync(outside)).toEqual(["a.txt"]);
  },
);

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/provider-simulator";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { DecidedEntry } from "./host/print-decisions.ts";
import { type Installed, type Patch, patchedCopy } from "./install.ts";
import { type MovedClock, movedClock } from "./moved-clock.ts";
import { openProgram, type Program } from "./program.ts";
import type { Row } from "./rows.ts";
import { createScriptedModel, type ScriptedModel } from "./scripted-model.ts";
import { type EditRequest, type SentRequest, serveModels } from "./simulated-models.ts";

/** A fault that a control plants from outside the product. */
export interface Plants {
  readonly edit?: EditRequest;
  /** `still`: the simulator's clock does not move, so that its cache stays warm. */
  readonly cacheClock?: "still";
  /** A change of the installed packages. */
  readonly patch?: Patch;
}

export interface Subject {
  readonly row: Row;
  readonly installed: Installed;
  readonly plants: Plants;
}

/** Everything that a scenario works with: a program with an empty home, its project, and its service. */
export interface Stage {
  readonly row: Row;
  readonly program: Program;
  readonly model: ScriptedModel;
  readonly clock: MovedClock;
  /** Answered requests, oldest first. */
  readonly sent: readonly SentRequest[];
  readonly refusals: readonly string[];
  write(path: string, content: string): void;
  /** Decisions and boundaries in the session's log, oldest first. */
  decisions(): Promise<readonly DecidedEntry[]>;
}

/** Runs a scenario in folders of its own, with default settings unless some are given. */
export function onStage<Result>(
  { row, installed, plants }: Subject,
  settings: Readonly<Record<string, string>>,
  run: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  return inTemporaryFolder(async (base) => {
    const [project, home] = [join(base, "project"), join(base, "home")];
    for (const folder of [project, home]) mkdirSync(folder);
    const clock = movedClock();
    const model = createScriptedModel();
    const cacheClock: Clock = plants.cacheClock === "still" ? systemClock : clock;
    const models = await serveModels({ script: model.script, clock: cacheClock, edit: plants.edit });
    const { patch } = plants;
    const own = patch === undefined ? installed : patchedCopy(installed, patch, join(base, "patched"));
    const program = openProgram({ row, installed: own, url: models.url, clock, project, home, settings });
    try {
      return await run({
        row,
        program,
        model,
        clock,
        sent: models.sent,
        refusals: models.refusals,
        write(path, content) {
          mkdirSync(dirname(join(project, path)), { recursive: true });
          writeFileSync(join(project, path), content);
        },
        decisions: () => program.decisions(),
      });
    } finally {
      await models.close();
    }
  });
}

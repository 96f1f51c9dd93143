import { readFile, rm } from "node:fs/promises";
import type { BatchOutcome, BatchStep, Memory } from "@palimpsest/memory";
import { applySteps, type DreamOutcome } from "@palimpsest/memory/dream";
import type { Places } from "../../workspace/places.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";
import { confirmDream, type DreamPlace } from "./project-dream.ts";

type HeldPlace = Pick<DreamPlace, "places" | "coordination">;

/**
 * Stores the changes that a run held back, until the user decides about them. A newer run that has gone over the memory replaces
 * them, also by having nothing to hold.
 */
export async function keepHeld({ heldDream }: Pick<Places, "heldDream">, outcome: DreamOutcome): Promise<void> {
  if (outcome.kind === "held") await writePrivateFile(heldDream, JSON.stringify(outcome.steps));
  if (outcome.kind === "written" || outcome.kind === "unchanged") await rm(heldDream, { force: true });
}

/** Reads the changes that wait for the user's decision; undefined if none wait. */
export async function readHeld({ heldDream }: Pick<Places, "heldDream">): Promise<readonly BatchStep[] | undefined> {
  const held = await readFile(heldDream, "utf8").catch(() => undefined);
  return held === undefined ? undefined : (JSON.parse(held) as readonly BatchStep[]);
}

/** Applies the changes that wait, as one commit. They keep waiting if they cannot be applied. Undefined if none wait. */
export async function acceptHeld(place: HeldPlace, memory: Pick<Memory, "batch">): Promise<BatchOutcome | undefined> {
  const steps = await readHeld(place.places);
  if (steps === undefined) return undefined;
  const outcome = await applySteps(memory, steps);
  if (outcome.kind === "written" || outcome.kind === "unchanged") await decided(place);
  return outcome;
}

/** Drops the changes that wait. Undefined if none wait. */
export async function refuseHeld(place: HeldPlace): Promise<"refused" | undefined> {
  if ((await readHeld(place.places)) === undefined) return undefined;
  await decided(place);
  return "refused";
}

/** With either answer the run counts as done: the next one needs new sessions, and does not propose the same again at once. */
async function decided(place: HeldPlace): Promise<void> {
  await rm(place.places.heldDream, { force: true });
  await confirmDream(place);
}

/** Describes one change, as in `- forget old-parser: it is gone`. */
export function stepText(step: BatchStep): string {
  if (step.kind === "forget") return `- forget ${step.slug}: ${step.because}`;
  if (step.kind === "rename") return `- rename ${step.slug} to ${step.to}`;
  return `+ ${step.kind} ${step.draft.name}: ${step.draft.body}`;
}

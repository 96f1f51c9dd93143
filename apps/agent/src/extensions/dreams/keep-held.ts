import type { DreamOutcome } from "@palimpsest/memory/dream";
import type { Places } from "../../workspace/places.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";

/** Stores the changes that a run held back, until the user approves them. */
export async function keepHeld({ heldDream }: Places, outcome: DreamOutcome): Promise<void> {
  if (outcome.kind === "held") await writePrivateFile(heldDream, JSON.stringify(outcome.steps));
}

import type { DreamOutcome } from "@palimpsest/memory/dream";
import type { Places } from "../../workspace/places.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";

/** What a run held back is kept until the user says yes. */
export async function keepHeld({ heldDream }: Places, outcome: DreamOutcome): Promise<void> {
  if (outcome.kind === "held") await writePrivateFile(heldDream, JSON.stringify(outcome.steps));
}

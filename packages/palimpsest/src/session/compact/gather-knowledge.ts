import { createEvidence } from "../../compact/evidence/evidence.ts";
import { readPayload } from "../../log/draft.ts";
import { isUsersOwn } from "../../log/provenance.ts";
import type { CarriedState } from "../../state/carried.ts";
import { readEntries } from "../../stores/read-entries.ts";
import type { LogReader } from "../../stores/store.ts";
import { findBranch } from "../find-branch.ts";

/** How many of the user's messages are remembered by number beside the first. */
const REMEMBERED_MESSAGES = 400;

/** What a boundary carries on of the entries before it. */
export type Knowledge = Pick<CarriedState, "evidence" | "said">;

/**
 * What held before, with the facts and the user's messages of all entries since the newest boundary. Read from the log, so
 * that results which are shown as previews or stubs are known as they came in. Costs what was added since that boundary.
 */
export async function gatherKnowledge(log: LogReader, at: number, carriedState: CarriedState): Promise<Knowledge> {
  const { ranges } = await findBranch(log, at);
  return addKnowledge(log, ranges, carriedState);
}

export async function addKnowledge(
  log: LogReader,
  ranges: readonly { readonly from: number; readonly to: number }[],
  before: Knowledge,
): Promise<Knowledge> {
  const evidence = createEvidence(before.evidence);
  const said = [...before.said];
  for (const { from, to } of ranges) {
    for await (const entry of readEntries(log, from, to)) {
      const read = readPayload(entry);
      if (read.kind === "passed-over") continue;
      evidence.take(read);
      if (read.kind === "message" && isUsersOwn(read.payload)) said.push(read.sequence);
    }
  }
  const [first, ...others] = said;
  const remembered = first === undefined ? [] : [first, ...others.slice(-REMEMBERED_MESSAGES)];
  return { evidence: evidence.state(), said: remembered };
}

import type { Experiment } from "../experiment.ts";
import { measureCostShare } from "./cost-share.ts";
import { type JudgedClaim, judgeDialogue } from "./judge-dialogue.ts";
import { type Half, type LabelledDialogue, readDialogues } from "./labelled.ts";

const TURNS = { quick: 8, full: 40 } as const;

/**
 * What becomes of what models claim to have learned. Scripted models claim all that the dialogues are labelled with, right and wrong,
 * so the figures are those of the judging alone: whether a real model finds something to claim, they cannot say.
 */
export const extractionExperiment: Experiment = {
  name: "extraction",
  about: "of right and wrong claims about labelled dialogues, which become memory; what looking for them costs",
  async run({ size }) {
    const held = await judgeHalf("held-out");
    const { asked, turns, sharePercent } = await measureCostShare(readDialogues("held-out"), TURNS[size]);
    return {
      dialogues: readDialogues("held-out").length + readDialogues("development").length,
      held_out: readDialogues("held-out").length,
      ...held,
      cost_share_pct: round(sharePercent),
      cost_turns: turns,
      cost_asked: asked,
      ...(size === "full" ? { development: await judgeHalf("development") } : {}),
    };
  },
};

async function judgeHalf(half: Half) {
  const judged: { readonly dialogue: LabelledDialogue; readonly claims: readonly JudgedClaim[] }[] = [];
  for (const dialogue of readDialogues(half).flatMap(withOneRight)) {
    judged.push({ dialogue, claims: await judgeDialogue(dialogue) });
  }
  const claims = judged.flatMap((one) => one.claims);
  const right = claims.filter(({ claim }) => claim.right !== undefined);
  const wrong = claims.filter(({ claim }) => claim.wrong !== undefined);
  const isKept = ({ ended }: JudgedClaim): boolean => ended === "kept";
  const byKind = Map.groupBy(judged, ({ dialogue }) => dialogue.kind);
  return {
    right_claims: right.length,
    wrong_claims: wrong.length,
    remembered_pct: round((100 * right.filter(isKept).length) / right.length),
    // Of so many wrong claims; those that wait are the user's to refuse.
    false_memories: wrong.filter(isKept).length,
    wrong_waiting: wrong.filter(({ ended }) => ended === "waits").length,
    poisoned: claims.filter(({ isPoisoned }) => isPoisoned).length,
    false_by_kind: Object.fromEntries(
      [...byKind].map(([kind, some]) => [
        kind,
        some.flatMap((one) => one.claims).filter((one) => one.claim.wrong !== undefined && isKept(one)).length,
      ]),
    ),
  };
}

/** Several right claims of a dialogue are one fact in other words: each is made alone, or one would replace the other. */
function withOneRight(dialogue: LabelledDialogue): readonly LabelledDialogue[] {
  const [first, ...others] = dialogue.claims.filter(({ right }) => right !== undefined);
  if (first === undefined || others.length === 0) return [dialogue];
  const rest = dialogue.claims.filter(({ right }) => right === undefined);
  return [{ ...dialogue, claims: [first, ...rest] }, ...others.map((claim) => ({ ...dialogue, claims: [claim] }))];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

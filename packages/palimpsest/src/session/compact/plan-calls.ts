import type { LadderPlan } from "../../compact/ladder.ts";
import type { CompactionPlan, Room } from "../../compact/plan.ts";
import type { CompactionTrigger } from "../../log/payload-compaction.ts";
import type { Settings } from "../../settings/settings.ts";
import { headOf } from "../../text.ts";
import type { MessageItem } from "../../view/item.ts";

export interface CallOptions {
  readonly trigger: CompactionTrigger;
  readonly settings: Settings;
  readonly instructions: string | undefined;
  /** The window of the model that direct calls are made to. */
  readonly directWindowTokens: number;
}

/** Words that a model needs to say one token, at most: what it is told to keep to is a limit in words. */
const WORDS_PER_TOKEN = 0.6;
/** Of a window, what a direct call keeps for the prompt and the answer. */
const OUTPUT_SHARE = 0.2;
const PROMPT_TOKENS = 800;
/** A fork's answer must fit behind the question: a summary has less than a tenth of what it is of. */
const FORK_SHARE = 0.9;

/** What the models are asked, and which of the ways to them can be taken. */
export function planCalls(plan: CompactionPlan, room: Room, options: CallOptions): Omit<LadderPlan, "modelCalls"> {
  const { material, range, variant, snapshot } = plan;
  const { settings, instructions = "", directWindowTokens } = options;
  const said = range.folded.filter(({ origin }) => origin !== "summary");
  const texts = material.rounds.map(({ text }) => text);
  const words = `The summary may have at most ${Math.floor(room.summary * WORDS_PER_TOKEN)} words.`;
  const noFork = noForkBecause(plan, options);
  return {
    rounds: material.rounds,
    variant,
    instructions: [...pointOf(plan), words, instructions].filter((line) => line !== "").join("\n"),
    byProvider: settings["compaction.byProvider"] === "on" ? "asked" : "off",
    userInstructions: instructions,
    ...(noFork === undefined ? {} : { noFork }),
    directTokens: Math.floor(directWindowTokens * (1 - OUTPUT_SHARE)) - PROMPT_TOKENS,
    maximumPasses: settings["compaction.maxPasses"],
    limits: {
      isKnownPath: knownPaths(texts),
      sourceTokens: range.folded.reduce((sum, item) => sum + snapshot.tokensOf(item), 0),
      maximumTokens: room.summary,
      countTokens: snapshot.countTokens,
    },
    said: said.map(textOf).join("\n"),
  };
}

/** The most that a direct call may answer. */
export function directOutputTokens(settings: Settings, windowTokens: number): number {
  return Math.min(settings["compaction.summaryTokens"], Math.floor(windowTokens * OUTPUT_SHARE));
}

function noForkBecause({ snapshot, variant }: CompactionPlan, options: CallOptions): string | undefined {
  const { sizeTokens, budget, configuration } = snapshot;
  const model = options.settings["compaction.model"];
  if (model !== "" && model !== configuration.model) return `another model is to write it: ${model}`;
  if (variant === "up_to") return "only the earlier part is to be summarized";
  if (options.trigger === "reactive") return "the provider has refused this prompt as too long";
  const mostTokens = Math.floor(budget.windowTokens * FORK_SHARE);
  if (sizeTokens + PROMPT_TOKENS > mostTokens) {
    return `${sizeTokens} tokens and ${PROMPT_TOKENS} of the question leave no room for an answer (above ${mostTokens})`;
  }
  return undefined;
}

/** Where the part begins that is to be summarized, by its first words. */
function pointOf({ variant, range }: CompactionPlan): string[] {
  if (variant !== "from") return [];
  const first = headOf(textOf(range.folded[0]!), 300);
  return [`The part to be summarized begins with this message:\n${first}`];
}

/** A path may be written in a shorter way than where it was first named. */
function knownPaths(texts: readonly string[]): (path: string) => boolean {
  const all = texts.join("\n");
  return (path) => all.includes(path.replace(/^\.\//, ""));
}

function textOf({ blocks }: MessageItem): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
}

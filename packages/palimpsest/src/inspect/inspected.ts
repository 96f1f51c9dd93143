import type { Block } from "../log/block.ts";
import { contentOf } from "../recall/read.ts";
import { recallOf } from "../recall/recall.ts";
import { estimateTokens } from "../size/calibration.ts";
import type { ResultFiles } from "../stores/results.ts";
import type { MessageItem } from "../view/item.ts";
import type { View } from "../view/view.ts";
import { type ContentPlace, contentPlaceOf } from "./content-place.ts";
import type { InspectedLog } from "./open-inspected.ts";

/** An item that was in view before, and what became of it. */
export interface Survivor {
  readonly entry: number;
  readonly place: ContentPlace;
  readonly tokens: number;
  /** The beginning of its text, in one line. */
  readonly preview: string;
  /**
   * `in-view`: all of its lines are still in view. `recallable`: the model can read it back with `recall`. `lost`: it cannot,
   * because it has no such tool or the content is gone.
   */
  readonly fate: "in-view" | "recallable" | "lost";
  /** The share of its lines that are still in view, word for word; 1 for an empty text. */
  readonly shownShare: number;
}

export interface SurvivorSources extends Pick<InspectedLog, "log" | "session"> {
  /** Where results are that were too large for the log. @default they count as lost */
  readonly files?: ResultFiles;
}

const PREVIEW_CHARACTERS = 160;

/** What became of each item of a view in a later one. */
export async function survivorsOf(
  { log, session, files }: SurvivorSources,
  { before, after }: { readonly before: View; readonly after: View },
): Promise<readonly Survivor[]> {
  const shown = new Set(messagesOf(after).flatMap((item) => linesOf(textOf(item.blocks))));
  const recall = recallOf(after.configuration?.tools ?? []);
  const survivors: Survivor[] = [];
  for (const item of messagesOf(before)) {
    const text = textOf(item.blocks);
    const lines = linesOf(text);
    const shownShare = lines.length === 0 ? 1 : lines.filter((line) => shown.has(line)).length / lines.length;
    const [entry] = await log.read(item.by ?? item.from, item.by ?? item.from);
    const content = entry && (await contentOf(entry, { session, ...(files === undefined ? {} : { files }) }));
    const canRecall = recall === "offered" && content?.kind === "content";
    survivors.push({
      entry: item.by ?? item.from,
      place: contentPlaceOf(item.blocks[0] ?? { kind: "text", text: "" }, item),
      tokens: estimateTokens(before.calibration, item.features),
      preview: text.slice(0, PREVIEW_CHARACTERS).replace(/\s+/g, " ").trim().toWellFormed(),
      fate: shownShare === 1 ? "in-view" : canRecall ? "recallable" : "lost",
      shownShare,
    });
  }
  return survivors;
}

function messagesOf({ items }: View): readonly MessageItem[] {
  return items.filter((item) => item.kind === "message");
}

function textOf(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => {
      if (block.kind === "text") return [block.text];
      if (block.kind === "tool_call") return [`${block.name} ${JSON.stringify(block.input) ?? ""}`];
      if (block.kind !== "tool_result") return [];
      return typeof block.content === "string" ? [block.content] : [textOf(block.content)];
    })
    .join("\n");
}

/** Its lines without what surrounds them: a quotation is indented or marked. */
function linesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const bare = line.replace(/^[\s>]+|\s+$/g, "");
    return bare === "" ? [] : [bare];
  });
}

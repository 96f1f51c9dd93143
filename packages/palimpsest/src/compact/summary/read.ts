import { MAX_SECTIONS, readSections } from "./sections.ts";

export type SummaryReading =
  | {
      readonly kind: "summary";
      readonly text: string;
      /** The numbers of the non-empty sections. */
      readonly sections: ReadonlySet<number>;
      /** `cut`: the summary was begun and never closed. `bare`: it came without tags. */
      readonly end: "closed" | "cut" | "bare";
    }
  | {
      readonly kind: "none";
      /** `unmarked`: text, but neither tags nor enough sections for a summary. */
      readonly reason: "blank" | "scratchpad-only" | "unmarked";
    };

interface Tag {
  readonly at: number;
  readonly end: number;
  readonly side: "open" | "close";
  readonly name: "scratchpad" | "summary";
}

/** A quoted tag is only mentioned. Some models think in their own tags. */
const TAG = /(?<![`"'“‘])<\s*(\/?)\s*(analysis|scratchpad|think|thinking|summary)(?:\s[^<>\n]*)?>/gi;
const ESCAPED_TAG = /&lt;\s*(\/?)\s*(analysis|summary)\s*&gt;/gi;

/** Extracts the summary from a model's answer. It does not judge its quality. */
export function readSummary(answer: string): SummaryReading {
  if (answer.trim() === "") return { kind: "none", reason: "blank" };
  const plain = answer.replace(/\r\n?/g, "\n");
  const text = findTags(plain).length === 0 ? plain.replace(ESCAPED_TAG, "<$1$2>") : plain;
  const kept = withoutScratchpads(text);
  const found = bestBlock(kept) ?? blockInScratchpad(text);
  if (found !== undefined) return toReading(found.body, found.end);
  if (kept.trim() === "") return { kind: "none", reason: "scratchpad-only" };
  const bare = readSections(kept);
  return bare.byNumber.size >= MAX_SECTIONS ? toReading(kept, "bare") : { kind: "none", reason: "unmarked" };
}

/** Removes scratchpads from an answer, and leaves the rest. */
export function withoutScratchpads(text: string): string {
  const tags = findTags(text);
  let kept = "";
  let from = 0;
  for (let index = 0; index < tags.length; index++) {
    const tag = tags[index]!;
    if (tag.name !== "scratchpad" || tag.at < from) continue;
    if (tag.side === "close") {
      // The opening tag was in the request, so everything up to here is thinking.
      if (tags.slice(0, index).every(({ name }) => name === "scratchpad")) kept = "";
      else kept += text.slice(from, tag.at);
      from = tag.end;
      continue;
    }
    kept += text.slice(from, tag.at);
    from = endOfScratchpad(tags, index) ?? text.length;
  }
  return kept + text.slice(from);
}

/** A scratchpad that is never closed ends where the summary begins. */
function endOfScratchpad(tags: readonly Tag[], opened: number): number | undefined {
  let depth = 0;
  for (const { name, side, end } of tags.slice(opened)) {
    if (name !== "scratchpad") continue;
    depth += side === "open" ? 1 : -1;
    if (depth === 0) return end;
  }
  return tags.slice(opened).find(({ name, side }) => name === "summary" && side === "open")?.at;
}

interface Found {
  readonly body: string;
  readonly end: "closed" | "cut";
}

/** Returns the summary with the most sections; of equals the last, since a model that writes twice has reconsidered. */
function bestBlock(text: string): Found | undefined {
  let best: { readonly found: Found; readonly sections: number } | undefined;
  for (const found of blocksOf(text)) {
    const sections = readSections(found.body).byNumber.size;
    if (best === undefined || sections >= best.sections) best = { found, sections };
  }
  return best?.found;
}

function blockInScratchpad(text: string): Found | undefined {
  const found = bestBlock(text);
  return found?.end === "closed" && readSections(found.body).byNumber.size > 0 ? found : undefined;
}

/** Returns the outermost blocks, without summary tags inside them. */
function blocksOf(text: string): readonly Found[] {
  const tags = findTags(text).filter(({ name }) => name === "summary");
  const found: Found[] = [];
  let open: { readonly from: number; depth: number; closedAt: number | undefined } | undefined;
  for (const { side, at, end } of tags) {
    if (side === "open") {
      open ??= { from: end, depth: 0, closedAt: undefined };
      open.depth++;
    } else if (open !== undefined) {
      open.closedAt = at;
      if (--open.depth > 0) continue;
      found.push({ body: text.slice(open.from, at).replace(TAG, ""), end: "closed" });
      open = undefined;
    }
  }
  if (open === undefined) return found;
  const { from, closedAt } = open;
  const end = closedAt === undefined ? "cut" : "closed";
  return [...found, { body: text.slice(from, closedAt).replace(TAG, ""), end }];
}

function toReading(body: string, end: "closed" | "cut" | "bare"): SummaryReading {
  const text = tidy(body);
  if (text === "") return { kind: "none", reason: "blank" };
  return { kind: "summary", text: `Summary:\n${text}`, sections: new Set(readSections(text).byNumber.keys()), end };
}

/** Providers refuse half of a surrogate pair. */
function tidy(body: string): string {
  return body
    .trim()
    .replace(/^(?:#{1,6} *|\*\*)?summary:?(?:\*\*)?:?[ \t]*\n+/i, "")
    .replace(/\n(?:[ \t]*\n){2,}/g, "\n\n")
    .toWellFormed();
}

function findTags(text: string): readonly Tag[] {
  return Array.from(text.matchAll(TAG), (match) => ({
    at: match.index,
    end: match.index + match[0].length,
    side: match[1] === "/" ? "close" : "open",
    name: match[2]!.toLowerCase() === "summary" ? "summary" : "scratchpad",
  }));
}

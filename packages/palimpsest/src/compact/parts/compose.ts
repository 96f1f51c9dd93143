// Composes the message and the attachments that take the place of the compacted conversation.

import { type Text, TOOL_SEARCH, type ToolCall } from "../../log/block.ts";
import { attachment } from "../../log/messages.ts";
import type { AttachmentPayload, Replacement } from "../../log/payload.ts";
import type { PartRecord } from "../../log/payload-compaction.ts";
import { HOST, type Provenance, SUMMARY } from "../../log/provenance.ts";
import type { RuleFailure } from "../../policy/guard.ts";
import type { PartText } from "../../policy/policy.ts";
import type { CleanText, Surroundings } from "../../state/host-content.ts";
import { textAsSent } from "../../view/texts.ts";
import { describeTool, loadedTools } from "../../view/tool-search.ts";
import type { MessageItem } from "../../view/view.ts";
import type { CompactionPlan, Preamble } from "../plan.ts";
import type { CompactionBlock, WrittenSummary } from "../summary/calls.ts";
import { transcriptOf } from "../summary/transcript.ts";
import type { EngineMaterial } from "./knowledge.ts";
import { createLoader, type PreparedPart, preparePart, renderParts, wordsOf } from "./render.ts";

interface ComposeOptions {
  readonly surroundings: Surroundings;
  /** Files that the model still sees, with the entries of their reads. */
  readonly filesRead: ReadonlyMap<string, number>;
  /** A summary may repeat what the model has read, so its text is cleaned like everything else. @default it stays as it is */
  readonly cleanText?: CleanText | undefined;
}

/** What the model sees in place of the compacted messages. */
export interface CompactedView {
  /** The texts of the summary's message, each with its provenance. */
  readonly blocks: readonly Text[];
  /** The same as one text, without marks. */
  readonly text: string;
  /** Stands before the text, in the format of the provider that wrote it. */
  readonly block: CompactionBlock | undefined;
  /** Texts that load deferred tools again. */
  readonly tools: readonly Text[];
  readonly attachments: readonly AttachmentPayload[];
  /** Files of the host: shown again, without room, and not readable. */
  readonly files: { readonly putBack: number; readonly skipped: number; readonly failed: number };
  readonly parts: readonly PartRecord[];
  /** Functions of parts that failed. */
  readonly failures: readonly RuleFailure[];
  /** The whole view, by estimate. */
  readonly tokensAfter: number;
}

/** Estimates err. A view that is too large after all gets a smaller room. */
const SMALLER_AND_SMALLER = [1, 0.9, 0.7, 0.4, 0.2];

/** Composes the new view. Undefined if the view would not be smaller by enough, or would not fit. */
export async function composeView(
  written: WrittenSummary | undefined,
  plan: CompactionPlan,
  options: ComposeOptions,
): Promise<CompactedView | undefined> {
  const { room, targetTokens, leastShrink, snapshot } = plan;
  if (room === undefined) return undefined;
  const composing = await prepare(cleaned(written, options.cleanText), plan, options);
  const mostTokens = Math.min(targetTokens - 1, snapshot.sizeTokens * (1 - leastShrink));
  for (const factor of SMALLER_AND_SMALLER) {
    const view = compose(composing, (room.tokens - composing.aroundTokens) * factor);
    // Nothing that must survive is cut for the sake of a summary.
    if (written !== undefined && view.floor === "cut") return undefined;
    if (view.tokensAfter <= mostTokens) return view;
  }
  return undefined;
}

/**
 * Composes the texts from the record for a conversation that the provider has compacted already. The rest of the view stays as it
 * is. What must survive is shown, however large.
 */
export async function composeRecord(block: CompactionBlock, plan: CompactionPlan): Promise<CompactedView> {
  const { targetTokens, room } = plan;
  const composing = await prepare({ block }, plan, { surroundings: {}, filesRead: new Map() });
  const roomTokens = Math.max(0, (room?.tokens ?? 0) - composing.aroundTokens);
  let view = compose(composing, roomTokens);
  for (const factor of [...SMALLER_AND_SMALLER.slice(1), 0]) {
    if (view.tokensAfter < targetTokens) break;
    view = compose(composing, roomTokens * factor);
  }
  return view;
}

/** Everything that does not depend on the room. */
interface Composing {
  readonly plan: CompactionPlan;
  readonly summary: string | undefined;
  readonly block: CompactionBlock | undefined;
  readonly tools: readonly Text[];
  readonly prepared: readonly PreparedPart[];
  /** The messages that stay, as text. */
  readonly keptText: string;
  /** The summary, the provider's block and the tools. */
  readonly aroundTokens: number;
  /** The parts that are not `KeepPart`s. */
  readonly records: readonly PartRecord[];
}

async function prepare(
  written: WrittenSummary | undefined,
  plan: CompactionPlan,
  { surroundings, filesRead }: ComposeOptions,
): Promise<Composing> {
  const { snapshot, range, keep, material, head, fixed } = plan;
  const { countTokens, countBlock } = snapshot;
  const block = written !== undefined && "block" in written ? written.block : undefined;
  const summary =
    block === undefined ? (written as { readonly text: string } | undefined)?.text : COMPACTED_BY_PROVIDER;
  const isKept = (entry: number): boolean => entry < range.from || entry > range.to;
  const own: EngineMaterial = {
    ...material.parts,
    summary,
    // A block that nobody can read says nothing to another model, so the newest rounds are shown beside it.
    turn: block?.kind === "opaque" ? "open" : material.parts.turn,
    shownFiles: new Set([...filesRead].flatMap(([path, entry]) => (isKept(entry) ? [path] : []))),
  };
  const host = { ...surroundings, todos: async () => material.todos };
  const loader = createLoader(host, { countTokens, countMedia: countBlock });
  const prepared = await Promise.all(
    keep.map((part) => preparePart(part, own, { collected: plan.knowledge.collected, loader })),
  );
  const tools = toolsAgain(range.folded, countTokens);
  const tokens = {
    summary: summary === undefined || block !== undefined ? 0 : countTokens(summary),
    provider: block === undefined ? 0 : countBlock(block),
    head: head === undefined ? 0 : fixed.head,
    loadedTools: tools.reduce((sum, { text }) => sum + countTokens(text), 0),
  };
  const records = Object.entries(tokens).flatMap(([name, shown]): readonly PartRecord[] =>
    shown === 0 ? [] : [{ name, items: name === "loadedTools" ? tools.length : 1, tokens: shown, fullTokens: shown }],
  );
  const keptText = transcriptOf(range.kept)
    .map(({ text }) => text)
    .join("\n");
  const aroundTokens = tokens.summary + tokens.provider + tokens.loadedTools;
  return { plan, summary, block, tools, prepared, keptText, aroundTokens, records };
}

function compose(
  { plan, summary, block, tools, prepared, keptText, aroundTokens, records }: Composing,
  roomTokens: number,
): CompactedView & { readonly floor: "whole" | "cut" } {
  const { snapshot, material, fixed, failures } = plan;
  const { countTokens, countBlock } = snapshot;
  const tokensOf = (text: PartText): number =>
    countTokens(wordsOf(text)) + (text.media ?? []).reduce((sum, media) => sum + countBlock(media), 0);
  const isWritten = summary !== undefined;
  const rendered = renderParts(prepared, { roomTokens, keptText, summary, isWritten, countTokens, tokensOf });
  const inMessage = rendered.texts.filter((text) => text.attachment === undefined);
  const behind = rendered.texts.filter((text) => text.attachment !== undefined);
  const { preamble, recallHint } = material;
  const blocks = composeMessage({ preamble, summary, recallHint, texts: inMessage });
  const sent = blocks.map((one) => textAsSent(one, { origin: "summary" }).text).join("\n\n");
  const summaryTokens = isWritten && block === undefined ? countTokens(summary) : 0;
  const tokensAfter =
    fixed["system and tools"] +
    fixed.head +
    fixed["kept messages"] +
    (aroundTokens - summaryTokens) +
    countTokens(sent) +
    behind.reduce((sum, text) => sum + tokensOf(text), 0);
  const filesShown = behind.filter((text) => text.attachment === "file").length;
  const files = prepared.find(({ part }) => part.name === "files");
  return {
    blocks,
    text: blocks.map((one) => one.text).join("\n\n"),
    block,
    tools,
    attachments: behind.map(toAttachment),
    files: {
      putBack: filesShown,
      skipped: (files?.items.length ?? 0) - filesShown,
      failed: files?.missing ?? 0,
    },
    parts: [...records, ...rendered.records],
    failures: [...failures, ...rendered.failures],
    tokensAfter,
    floor: rendered.floor,
  };
}

function toAttachment(text: PartText): AttachmentPayload {
  const words = attachment(text.attachment!, wordsOf(text), text.provenance);
  return { ...words, blocks: [...words.blocks, ...(text.media ?? [])] };
}

function cleaned(written: WrittenSummary | undefined, clean: CleanText | undefined): WrittenSummary | undefined {
  const isText = written !== undefined && "text" in written && clean !== undefined;
  return isText ? { text: clean(written.text) } : written;
}

// ------------------------------------------------------------------------------------------------ the message

interface MessageParts {
  readonly preamble: Preamble;
  /** The checked summary. Undefined if no model has written one. */
  readonly summary: string | undefined;
  /** How to get the originals back: with which tool, from which entries. */
  readonly recallHint: string;
  readonly texts: readonly PartText[];
}

/** Without these words, a model takes the message for one of the user and answers it. */
const OPENING = [
  "This session continues an earlier part of the same conversation, which took up too much room and was folded into what",
  "follows. This text was put here by the program that runs the session; the user has not written it.",
  "Nothing is lost: the original messages can be read back.",
].join(" ");

const WITHOUT_SUMMARY =
  "No summary could be written this time. What follows was taken from the record word for word; read back what you need.";

/** Used in place of a summary. The model that will read it is unknown: a model of another provider cannot see the block. */
const COMPACTED_BY_PROVIDER =
  "A summary by the provider stands before this text, if you can read it. What follows was taken from the record word for word.";

const CARRY_ON =
  "Carry on with the last task from where it stood, as if there had been no break. Do not recap, do not speak of this text, and ask no questions that were not open before.";

const CARRY_ON_ALONE = [
  "This is not a first start: you were in the middle of working on your own, and nobody is waiting for a greeting.",
  "Go on with the loop at once, with the step that was next. Do not introduce yourself, do not begin again, do not recap,",
  "and ask no questions: there is no one to answer them.",
].join(" ");

const ENDINGS: Readonly<Record<Preamble, string>> = { auto: CARRY_ON, autonomous: CARRY_ON_ALONE, manual: "" };

/**
 * Composes the message as texts that each say where they come from. Text that a model wrote about the conversation, or that tools
 * returned, must not read like the words of the user.
 */
export function composeMessage({ preamble, summary, recallHint, texts }: MessageParts): readonly Text[] {
  const opening = recallHint === "" ? OPENING : `${OPENING} ${recallHint}`;
  const isWritten = summary !== undefined && summary.trim() !== "" && summary !== COMPACTED_BY_PROVIDER;
  const instead = summary === COMPACTED_BY_PROVIDER ? COMPACTED_BY_PROVIDER : WITHOUT_SUMMARY;
  const all = [
    textOf(isWritten ? opening : `${opening}\n\n${instead}`, HOST),
    textOf(isWritten ? summary : "", SUMMARY),
    ...texts.map((one) => textOf(wordsOf(one), one.provenance)),
    textOf(ENDINGS[preamble], HOST),
  ];
  return joined(all.filter(({ text }) => text !== ""));
}

/** Neighbors from the same source are one text: they need one pair of marks. */
function joined(texts: readonly Text[]): readonly Text[] {
  const whole: Text[] = [];
  for (const next of texts) {
    const last = whole.at(-1);
    if (last === undefined || last.provenance !== next.provenance) whole.push(next);
    else whole[whole.length - 1] = { ...last, text: `${last.text}\n\n${next.text}` };
  }
  return whole;
}

function textOf(text: string, provenance: Provenance): Text {
  return { kind: "text", text, provenance };
}

// ------------------------------------------------------------------------------------------------ deferred tools

/** The limit of all definitions together. The model can search again for those that do not fit. */
const MOST_TOKENS = 10_000;

/**
 * The deferred tools that compacted messages had brought in, as texts that bring them in again. Tools that were called come
 * first, the newest call first.
 */
export function toolsAgain(compacted: readonly MessageItem[], countTokens: (text: string) => number): readonly Text[] {
  const loaded = loadedTools(compacted);
  if (loaded.size === 0) return [];
  const called = compacted.flatMap(({ blocks }) =>
    blocks.filter((block): block is ToolCall => block.kind === "tool_call"),
  );
  const names = new Set([...called.map(({ name }) => name).reverse(), ...loaded.keys()]);
  let room = MOST_TOKENS;
  return [...names].flatMap((name): Text[] => {
    const tool = loaded.get(name);
    if (tool === undefined) return [];
    const text = describeTool(tool);
    const tokens = countTokens(text);
    if (tokens > room) return [];
    room -= tokens;
    return [{ kind: "text", text, tool }];
  });
}

/** The same as a search and its result, the form in which every provider takes tools. */
export function asSearch(tools: readonly Text[], boundary: number): readonly Replacement[] {
  if (tools.length === 0) return [];
  const id = `tools-${boundary}`;
  const input = { names: tools.flatMap(({ tool }) => (tool === undefined ? [] : [tool.name])) };
  return [
    {
      role: "assistant",
      origin: "summary",
      provenance: SUMMARY,
      blocks: [{ kind: "tool_call", id, name: TOOL_SEARCH, input }],
    },
    {
      role: "user",
      origin: "summary",
      provenance: SUMMARY,
      blocks: [{ kind: "tool_result", callId: id, content: tools, status: "ok" }],
    },
  ];
}

import type { Ends } from "../stages/store-results/ends.ts";
import { jsonKeys, looksLikeJson } from "../stages/store-results/json-keys.ts";
import { beginAtLine, endAtLine, grouped, headOf, tailOf } from "../text.ts";

/**
 * `head`: for listings and data, whose beginning shows what they are. `head-and-tail`: for commands, whose errors are
 * at the end.
 */
export type PreviewShape = "head" | "head-and-tail";

export interface PreviewOptions {
  readonly shape: PreviewShape;
  /** How much of the content is shown. */
  readonly maxCharacters: number;
  /** The entry number for `recall`. */
  readonly entry: number;
  /** The file in which tools can read the whole content. */
  readonly path: string | undefined;
  /** Whether the model can recall it. */
  readonly recall: "offered" | "missing";
}

/** The end gets more room: errors of a command and their causes are there. */
const HEAD_SHARE = 0.4;
const LISTING_TOOL = /glob|grep|list|search|find|^ls$/i;

/** Returns the text in place of stored content. It is deterministic for its entry: always the same bytes. */
export function previewText(ends: Ends, { shape, maxCharacters, entry, path, recall }: PreviewOptions): string {
  const { bytes, lines } = ends;
  const where = [
    ...(path === undefined ? [] : [`It is in ${path}`]),
    ...(recall === "offered" ? [`To read or search it: recall, entry ${entry}.`] : []),
  ];
  const keys = looksLikeJson(ends) ? jsonKeys(ends.head) : [];
  return [
    "<persisted-output>",
    `Too large to be shown: ${grouped(bytes)} bytes, ${grouped(lines)} ${lines === 1 ? "line" : "lines"}.`,
    ...where,
    ...(keys.length === 0 ? [] : [`Keys: ${keys.join(", ")}`]),
    "",
    harmless(shape === "head" ? headOnly(ends, maxCharacters) : headAndTail(ends, maxCharacters)),
    "</persisted-output>",
  ].join("\n");
}

/** Chooses a shape by a simple rule, if the caller gives none. */
export function shapeOf(tool: string | undefined, ends: Ends): PreviewShape {
  return looksLikeJson(ends) || (tool !== undefined && LISTING_TOOL.test(tool)) ? "head" : "head-and-tail";
}

function headOnly({ head, lines }: Ends, maxCharacters: number): string {
  const shown = endAtLine(headOf(head, maxCharacters));
  return `${withLineEnd(shown)}[left out: ${lineRange(1 + lineEndsIn(shown), lines)}]`;
}

function headAndTail({ head, tail, lines }: Ends, maxCharacters: number): string {
  const first = endAtLine(headOf(head, Math.floor(maxCharacters * HEAD_SHARE)));
  const last = beginAtLine(tailOf(tail, maxCharacters - first.length));
  const lastLines = lineEndsIn(last) + (last.endsWith("\n") ? 0 : 1);
  const startsLine = tail[tail.length - last.length - 1] === "\n";
  const to = lines - lastLines + (startsLine ? 0 : 1);
  return `${withLineEnd(first)}[left out: ${lineRange(1 + lineEndsIn(first), to)}]\n${last}`;
}

/** If a line was cut, both sides of the cut name it. */
function lineRange(from: number, to: number): string {
  return from >= to ? `the rest of line ${grouped(from)}` : `lines ${grouped(from)} to ${grouped(to)}`;
}

function withLineEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function lineEndsIn(text: string): number {
  return text.split("\n").length - 1;
}

/**
 * Content cannot close its frame, nor open another. The text is well-formed, because providers refuse lone surrogates.
 */
function harmless(text: string): string {
  return text.replace(/<(?=\/?persisted-output)/gi, "&lt;").toWellFormed();
}

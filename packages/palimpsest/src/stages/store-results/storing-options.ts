import type { PreviewShape } from "./preview.ts";

/** What is stored, and what is shown of it. Characters are those of a JavaScript string (UTF-16). */
export interface StoringOptions {
  /** A tool result with more text than this is stored. @default 50,000 */
  readonly thresholdCharacters?: number;
  /** All results that go out with one request together; beyond it the largest are stored. @default 200,000 */
  readonly aggregateCharacters?: number;
  /** A message of the user, of the host or of a command with more text than this is stored. @default 100,000 */
  readonly messageCharacters?: number;
  /** Thresholds of single tools, by name. They hold for bounded tools too. @default {} */
  readonly perTool?: Readonly<Record<string, number>>;
  /**
   * Names of tools that bound their results themselves, as a tool that reads files does: what it returns must not go into a
   * file that is to be read with it. @default none
   */
  readonly boundedTools?: readonly string[];
  /** How much of the content a preview shows. @default 2,000 */
  readonly previewCharacters?: number;
  /** Which end of a tool's output matters. @default by the tool's name and the content */
  readonly previewShapes?: Readonly<Record<string, PreviewShape>>;
}

export type StoringSettings = Required<StoringOptions>;

const DEFAULT_STORING: StoringSettings = {
  // Some 12,000 tokens: most of what tools return is far below, and what is above is seldom read to its end.
  thresholdCharacters: 50_000,
  aggregateCharacters: 200_000,
  // Twice as much: the user's own words are worth more than a tool's, and seldom this long unless they were pasted.
  messageCharacters: 100_000,
  perTool: {},
  boundedTools: [],
  previewCharacters: 2_000,
  previewShapes: {},
};

/** What a preview may add to the content that it shows: sizes, a path, a number. */
export const PREVIEW_FRAME_CHARACTERS = 1_000;

export function settingsOf(options: StoringOptions = {}): StoringSettings {
  return { ...DEFAULT_STORING, ...options };
}

/** How much text a result of a tool may have; infinite for a tool that bounds its results itself. */
export function thresholdOf(tool: string | undefined, settings: StoringSettings): number {
  const own = tool !== undefined && Object.hasOwn(settings.perTool, tool) ? settings.perTool[tool] : undefined;
  const isBounded = tool !== undefined && settings.boundedTools.includes(tool);
  const usual = isBounded ? Number.POSITIVE_INFINITY : settings.thresholdCharacters;
  return atLeastPreview(own ?? usual, settings);
}

/** Nothing is stored that is not larger than what would stand in its place. */
export function atLeastPreview(characters: number, { previewCharacters }: StoringSettings): number {
  return Math.max(characters, 2 * previewCharacters + PREVIEW_FRAME_CHARACTERS);
}

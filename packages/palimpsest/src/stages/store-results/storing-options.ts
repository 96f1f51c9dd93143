import type { PreviewShape } from "./preview.ts";

/** What is stored, and what is shown of it. Characters are those of a JavaScript string (UTF-16). */
export interface StoringOptions {
  /** A tool result with more text than this is stored. @default 50,000 */
  readonly thresholdCharacters?: number;
  /** All results that go out with one request together; beyond it the largest are stored. @default 200,000 */
  readonly aggregateCharacters?: number;
  /** A message of the user, of the host or of a command with more text than this is stored. @default 100,000 */
  readonly messageCharacters?: number;
  /**
   * Thresholds of single tools. `never`: bounded by the tool itself, as a tool is that reads files: what it returns must
   * not go into a file that is to be read with it. @default { recall: "never" }
   */
  readonly perTool?: Readonly<Record<string, number | "never">>;
  /** How much of the content a preview shows. @default 2,000 */
  readonly previewCharacters?: number;
  /** Which end of a tool's output matters. @default by the tool's name and the content */
  readonly previewShapes?: Readonly<Record<string, PreviewShape>>;
}

export type StoringSettings = Required<StoringOptions>;

export const DEFAULT_STORING: StoringSettings = {
  // Some 12,000 tokens: most of what tools return is far below, and what is above is seldom read to its end.
  thresholdCharacters: 50_000,
  aggregateCharacters: 200_000,
  // Twice as much: the user's own words are worth more than a tool's, and seldom this long unless they were pasted.
  messageCharacters: 100_000,
  perTool: { recall: "never" },
  previewCharacters: 2_000,
  previewShapes: {},
};

/** What a preview may add to the content that it shows: sizes, a path, a number. */
export const PREVIEW_FRAME_CHARACTERS = 1_000;

export function settingsOf(options: StoringOptions = {}): StoringSettings {
  return { ...DEFAULT_STORING, ...options, perTool: { ...DEFAULT_STORING.perTool, ...options.perTool } };
}

/** How much text a result of a tool may have. */
export function thresholdOf(tool: string | undefined, settings: StoringSettings): number {
  const own = tool !== undefined && Object.hasOwn(settings.perTool, tool) ? settings.perTool[tool] : undefined;
  const threshold = own === "never" ? Number.POSITIVE_INFINITY : (own ?? settings.thresholdCharacters);
  return atLeastPreview(threshold, settings);
}

/** Nothing is stored that is not larger than what would stand in its place. */
export function atLeastPreview(characters: number, { previewCharacters }: StoringSettings): number {
  return Math.max(characters, 2 * previewCharacters + PREVIEW_FRAME_CHARACTERS);
}

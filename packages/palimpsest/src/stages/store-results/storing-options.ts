import type { PreviewShape } from "../../store-results/preview.ts";

/** Options for storing large content and showing a preview. Characters are those of a JavaScript string (UTF-16). */
export interface StoringOptions {
  /** A tool result with more text than this is stored. @default 50,000 */
  readonly thresholdCharacters?: number;
  /** The limit for all results of one request together; above it, the largest are stored. @default 200,000 */
  readonly aggregateCharacters?: number;
  /** A message of the user, the host or a command with more text than this is stored. @default 100,000 */
  readonly messageCharacters?: number;
  /** Thresholds of single tools, by name. They apply to bounded tools too. @default {} */
  readonly perTool?: Readonly<Record<string, number>>;
  /**
   * Names of tools that limit their results themselves, such as a tool that reads files: its result must not go into a
   * file that it would then have to read. @default none
   */
  readonly boundedTools?: readonly string[];
  /** How much of the content a preview shows. @default 2,000 */
  readonly previewCharacters?: number;
  /** Which ends of a tool's output the preview shows. @default by the tool's name and the content */
  readonly previewShapes?: Readonly<Record<string, PreviewShape>>;
  /** Whether the model can recall what is stored. @default "offered" */
  readonly recall?: "offered" | "missing";
}

export type StoringSettings = Required<StoringOptions>;

const DEFAULT_STORING: StoringSettings = {
  // About 12,000 tokens: most results are far smaller, and larger ones are seldom read to the end.
  thresholdCharacters: 50_000,
  aggregateCharacters: 200_000,
  // Twice as much: the user's own text is worth more than a tool's, and seldom this long unless it was pasted.
  messageCharacters: 100_000,
  perTool: {},
  boundedTools: [],
  previewCharacters: 2_000,
  previewShapes: {},
  recall: "offered",
};

/** The maximum text that a preview adds to the shown content: sizes, a path, a number. */
export const PREVIEW_FRAME_CHARACTERS = 1_000;

export function settingsOf(options: StoringOptions = {}): StoringSettings {
  return { ...DEFAULT_STORING, ...options };
}

/** Returns how much text a tool result may have; infinite for a tool that limits its results itself. */
export function thresholdOf(tool: string | undefined, settings: StoringSettings): number {
  const own = tool !== undefined && Object.hasOwn(settings.perTool, tool) ? settings.perTool[tool] : undefined;
  const isBounded = tool !== undefined && settings.boundedTools.includes(tool);
  const usual = isBounded ? Number.POSITIVE_INFINITY : settings.thresholdCharacters;
  return atLeastPreview(own ?? usual, settings);
}

/** Content that is not larger than its preview is not stored. */
export function atLeastPreview(characters: number, { previewCharacters }: StoringSettings): number {
  return Math.max(characters, 2 * previewCharacters + PREVIEW_FRAME_CHARACTERS);
}

/** `@palimpsest/ai-sdk`: Palimpsest for applications on the Vercel AI SDK. */
export type { CompactionData } from "palimpsest/adapter-parts";
export { readCompaction } from "./middleware/compaction-part.ts";
export { type PalimpsestMiddleware, type PalimpsestOptions, palimpsest } from "./middleware/palimpsest.ts";
export type { RecallTool } from "./middleware/recall.ts";
export { type LanguageModelOptions, languageModel } from "./provider/language-model.ts";
export type { AiSdkMessage, AiSdkRequest, AiSdkResponse } from "./provider/wire.ts";

/** `@palimpsest/mastra`: Palimpsest for agents on Mastra. */
export type { CompactionData } from "@palimpsest/ai-sdk";
export { type PalimpsestContext, type PalimpsestOptions, palimpsest } from "./palimpsest.ts";

/** `@palimpsest/ai-sdk/mastra`: Palimpsest for agents on Mastra. */
export { type PalimpsestContext, type PalimpsestOptions, palimpsest } from "./palimpsest.ts";

/** `palimpsest/gemini`: Google's Gemini API as a provider. */

export type { GeminiMessage, GeminiRequest, GeminiResponse } from "./providers/gemini/facts.ts";
export { type GeminiClient, type GeminiOptions, gemini } from "./providers/gemini.ts";

/** `@palimpsest/ai-sdk`: Palimpsest for applications on the Vercel AI SDK. */
export { type LanguageModelOptions, languageModel } from "./provider/language-model.ts";
export type { AiSdkMessage, AiSdkRequest, AiSdkResponse } from "./provider/wire.ts";

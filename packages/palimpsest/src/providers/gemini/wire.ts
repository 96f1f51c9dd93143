import type { Content, GenerateContentConfig, GenerateContentResponse } from "@google/genai";

/** The name of this wire form in logs. */
export const GEMINI = "gemini";

/** A message of a request. */
export type GeminiMessage = Content;

/** The parameters of a call, streamed or not. */
export interface GeminiRequest {
  readonly model: string;
  readonly contents: Content[];
  readonly config: GenerateContentConfig;
}

/** The fields of a response, without the methods of the client's class. */
export type GeminiResponse = Pick<
  GenerateContentResponse,
  "candidates" | "usageMetadata" | "modelVersion" | "responseId" | "promptFeedback"
>;

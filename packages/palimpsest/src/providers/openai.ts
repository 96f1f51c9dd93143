export { openaiChat } from "./openai/chat.ts";
export { openaiResponses } from "./openai/responses.ts";

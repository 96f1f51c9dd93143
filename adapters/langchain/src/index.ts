/** `@palimpsest/langchain`: Palimpsest for agents on LangChain. */
export type { CompactionData, Notice } from "palimpsest/adapter-parts";
export { readCompactions } from "./middleware/compactions.ts";
export { type PalimpsestMiddleware, type PalimpsestOptions, palimpsest } from "./middleware/palimpsest.ts";
export { type Binding, type ChatModelOptions, chatModel } from "./provider/chat-model.ts";
export type { CacheMark } from "./provider/render-request.ts";
export type {
  ChatModel,
  LangChainCall,
  LangChainMessage,
  LangChainPart,
  LangChainRequest,
  LangChainResponse,
  Streamed,
} from "./provider/wire.ts";

/** `@palimpsest/openai-agents`: Palimpsest for agents on the OpenAI Agents SDK. */
export type { CompactionData, Notice } from "palimpsest/adapter-parts";
export { readCompactions } from "./models/compactions.ts";
export { type PalimpsestModels, type PalimpsestOptions, palimpsest } from "./models/palimpsest.ts";
export type { RecallTool } from "./models/recall.ts";
export { type AgentsModelOptions, agentsModel } from "./provider/agents-model.ts";
export type {
  AgentsBinding,
  AgentsItem,
  AgentsModel,
  AgentsRequest,
  AgentsResponse,
  AgentsSettings,
} from "./provider/wire.ts";

/** `@palimpsest/pi`: Palimpsest for agents on pi. */
export type { CompactionData, Notice } from "palimpsest/adapter-parts";
export { type PiModelOptions, piModel } from "./provider/pi-model.ts";
export type {
  PiBinding,
  PiMessage,
  PiModel,
  PiOptions,
  PiRequest,
  PiResponse,
  PiStream,
  PiTool,
} from "./provider/wire.ts";
export { readCompactions } from "./stream/compactions.ts";
export { type PalimpsestOptions, type PalimpsestStream, palimpsest } from "./stream/palimpsest.ts";
export type { RecallTool } from "./stream/recall.ts";

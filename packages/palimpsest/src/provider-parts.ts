/** `palimpsest/provider-parts`: shared code for providers in other packages. */

export type { Media, MediaSource, Native, Opaque, Text } from "./log/block.ts";
export type { CacheEffects } from "./log/cause.ts";
export { detectMediaType } from "./log/media-type.ts";
export type { MessagePayload } from "./log/payload.ts";
export {
  canBeShown,
  describeMedia,
  fileNameOf,
  fromUrl,
  parseInput,
  toArguments,
  toContent,
  toUrl,
} from "./providers/content.ts";
export { EFFORTS, type Effort, effortParameters } from "./providers/effort-parameters.ts";
export { type KnownModel, knownModel } from "./providers/known-models.ts";
export { type ExtraModels, toModelId } from "./providers/models.ts";
export { readOverflow } from "./providers/overflow.ts";
export type { RequestParts, ResponseContent, ResponseReport, SendOptions, StreamPart } from "./providers/provider.ts";
export { frozenCopy, rememberTools } from "./providers/remember.ts";
export { type Collector, sendStream } from "./providers/stream.ts";
export type { FlatMessage } from "./view/view.ts";

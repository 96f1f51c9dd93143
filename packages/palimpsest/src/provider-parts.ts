/** `palimpsest/provider-parts`: what every provider needs, for providers and doors of other packages. */
export type { Media, MediaSource, Native, Opaque, Text } from "../log/block.ts";
export type { CacheEffects } from "../log/cause.ts";
export type { FlatMessage } from "../view/view.ts";
export {
  canBeShown,
  describeMedia,
  fileNameOf,
  fromUrl,
  parseInput,
  toArguments,
  toContent,
  toUrl,
} from "./content.ts";
export { EFFORTS, type Effort, effortParameters } from "./effort-parameters.ts";
export { toModelId } from "./models.ts";
export type { RequestParts, ResponseReport, SendOptions } from "./provider.ts";
export { frozenCopy, rememberTools } from "./remember.ts";
export { type Collector, sendStream } from "./stream.ts";

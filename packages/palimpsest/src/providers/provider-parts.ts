/** `palimpsest/provider-parts`: what every provider needs, for providers and doors of other packages. */
export type { Media, MediaSource, Native, Opaque, Text } from "../log/block.ts";
export type { CacheEffects } from "../log/cause.ts";
export type { FlatMessage } from "../view/flat-message.ts";
export { fileNameOf, fromUrl, toUrl } from "./data-url.ts";
export { EFFORTS, type Effort, effortParameters } from "./effort-parameters.ts";
export { frozenCopy } from "./frozen-copy.ts";
export { canBeShown, describeMedia } from "./media.ts";
export { toModelId } from "./models.ts";
export { parseInput } from "./parse-input.ts";
export type { RequestParts, ResponseReport, SendOptions } from "./provider.ts";
export { rememberTools } from "./remember.ts";
export { type Collector, sendStream } from "./stream.ts";
export { toArguments } from "./to-arguments.ts";
export { toContent } from "./to-content.ts";

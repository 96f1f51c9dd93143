/** `palimpsest/bedrock`: Amazon Bedrock's Converse API as a provider. */

export type {
  BedrockBlock,
  BedrockCachePoint,
  BedrockDocument,
  BedrockImage,
  BedrockMessage,
  BedrockRequest,
  BedrockResponse,
} from "./providers/bedrock/wire.ts";
export { type BedrockClient, type BedrockOptions, bedrock } from "./providers/bedrock.ts";

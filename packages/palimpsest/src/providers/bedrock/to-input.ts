import type { ConverseStreamCommandInput } from "@aws-sdk/client-bedrock-runtime";
import { base64Bytes } from "../content.ts";
import type { BedrockBlock, BedrockRequest } from "./wire.ts";

/** The request as the client takes it: with bytes in the place of base64 text. */
export function toInput(request: BedrockRequest): ConverseStreamCommandInput {
  const messages = request.messages.map(({ role, content }) => ({ role, content: content.map(withBytes) }));
  return { ...request, messages } as unknown as ConverseStreamCommandInput;
}

function withBytes(block: BedrockBlock): object {
  const { image, document, toolResult, reasoningContent } = block;
  if (image !== undefined) return { image: { ...image, source: { bytes: base64Bytes(image.source.bytes) } } };
  if (document !== undefined) {
    return { document: { ...document, source: { bytes: base64Bytes(document.source.bytes) } } };
  }
  if (toolResult !== undefined) return { toolResult: { ...toolResult, content: toolResult.content.map(withBytes) } };
  const redacted = reasoningContent?.redactedContent;
  return redacted === undefined ? block : { reasoningContent: { redactedContent: base64Bytes(redacted) } };
}

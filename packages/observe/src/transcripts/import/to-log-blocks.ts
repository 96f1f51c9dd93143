import type { Block, Part, Provenance } from "palimpsest";
import type { MessagePayload } from "palimpsest/provider-parts";
import { asObject } from "palimpsest/schema";

import type { RecordedAgent, RecordedBlock, RecordedMessage, RecordedPart } from "../readers/recorded.ts";

/**
 * Converts recorded blocks of another agent to ours. Blocks that only a provider can read (signed thinking, calls that it
 * answers itself) are marked as the agent's: they are kept and never sent, because they are bound to a prompt that is not
 * recorded.
 */
export function toLogBlocks(blocks: readonly RecordedBlock[], agent: RecordedAgent): Block[] {
  return blocks.map((block): Block => {
    switch (block.kind) {
      case "thinking": {
        const { text, signature } = block;
        return { kind: "thinking", provider: agent, text, signature };
      }
      case "tool_call":
        return { kind: "tool_call", id: block.callId, name: block.name, input: block.input ?? {} };
      case "tool_result": {
        const { callId, content, status } = block;
        const parts = typeof content === "string" ? content : content.map((part) => toPart(part, agent));
        return { kind: "tool_result", callId, content: parts, status: status === "error" ? "error" : "ok" };
      }
      default:
        return toPart(block, agent);
    }
  });
}

function toPart(part: RecordedPart, agent: RecordedAgent): Part {
  switch (part.kind) {
    case "text":
      return { kind: "text", text: part.text };
    case "opaque":
      return { kind: "opaque", native: { provider: agent, block: asObject(part.value) ?? { value: part.value } } };
    default:
      return { kind: "text", text: `[${part.kind} of type ${part.mediaType}, ${part.sizeBytes} bytes: not imported]` };
  }
}

const ORIGINS: Readonly<Record<RecordedMessage["origin"], MessagePayload["origin"]>> = {
  human: "human",
  model: "model",
  tool: "tool",
  agent: "host",
  summary: "summary",
};

/** Whoever wrote the file wrote its messages: nothing proves that they are the user's. */
export function importedFrom(agent: RecordedAgent): Provenance {
  return { kind: "outside", name: `transcript of ${agent}` };
}

/** A recorded message as one of ours. */
export function toMessage(
  { role, origin, blocks }: Omit<RecordedMessage, "role"> & { readonly role: MessagePayload["role"] },
  agent: RecordedAgent,
): MessagePayload {
  return { role, origin: ORIGINS[origin], provenance: importedFrom(agent), blocks: toLogBlocks(blocks, agent) };
}

import { invalid, type Problem } from "../problem.ts";
import type { Said } from "../prompt/conversation.ts";
import type { Block, MessagesRequest } from "../request.ts";

/** A tool brought into the conversation later is named by reference: the name must lead to a definition. */
export function checkToolReferences({ tools }: MessagesRequest, said: readonly Said[]): Problem | undefined {
  const isKnown = (name: unknown): boolean => tools?.some((tool) => tool.name === name) ?? false;
  for (const { block, messageIndex, measure } of said) {
    if (measure.kind === "result" && Array.isArray(block["content"])) {
      for (const part of block["content"] as readonly Block[]) {
        if (part.type !== "tool_reference" || isKnown(part["tool_name"])) continue;
        return invalid(`Tool reference '${part["tool_name"] as string}' not found in available tools`);
      }
    }
    if (measure.kind !== "other" || (block.type !== "tool_addition" && block.type !== "tool_removal")) continue;
    const tool = block["tool"] as { type?: unknown; name?: unknown };
    if (tool.type !== "tool_reference" || isKnown(tool.name)) continue;
    return invalid(
      `messages.${messageIndex}: \`${block.type}\` references an unknown tool ${JSON.stringify(tool.name)}`,
      "tool_reference_unresolved",
    );
  }
  return undefined;
}

import { invalid, type Problem } from "../problem.ts";
import type { PlacedBlock } from "../prompt/conversation.ts";
import type { Block, MessagesRequest } from "../request.ts";
import { isRecord } from "./shape.ts";

/**
 * A tool brought into the conversation later is named by reference, which must lead to a definition in the request or
 * earlier in the conversation; or it is defined on the spot, under a name that no tool of another kind holds.
 */
export function checkToolReferences(
  { tools = [] }: MessagesRequest,
  said: readonly PlacedBlock[],
): Problem | undefined {
  const kinds = new Map<unknown, string>(tools.map((tool) => [tool.name, kindOf(tool)]));
  for (const { block, messageIndex, measure } of said) {
    if (measure.kind === "result" && Array.isArray(block["content"])) {
      for (const part of block["content"] as readonly Block[]) {
        if (part.type !== "tool_reference" || kinds.has(part["tool_name"])) continue;
        return invalid(`Tool reference '${part["tool_name"] as string}' not found in available tools`);
      }
    }
    if (measure.kind !== "other" || (block.type !== "tool_addition" && block.type !== "tool_removal")) continue;
    const problem = checkToolChange(block, messageIndex, kinds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkToolChange(block: Block, messageIndex: number, kinds: Map<unknown, string>): Problem | undefined {
  const tool = block["tool"] as { type?: unknown; name?: unknown; definition?: unknown };
  if (tool.type === "tool_reference" && !kinds.has(tool.name)) {
    return invalid(
      `messages.${messageIndex}: \`${block.type}\` references an unknown tool ${JSON.stringify(tool.name)}`,
      "tool_reference_unresolved",
    );
  }
  if (tool.type !== "tool_definition" || !isRecord(tool.definition)) return undefined;
  const { name } = tool.definition;
  const kind = kindOf(tool.definition);
  // The code is the client library's; its text was not seen. The same kind under the same name is a new version of it.
  if ((kinds.get(name) ?? kind) !== kind) {
    return invalid(`messages.${messageIndex}: the tool name ${JSON.stringify(name)} is taken`, "tool_name_conflict");
  }
  kinds.set(name, kind);
  return undefined;
}

function kindOf({ type }: { readonly type?: unknown }): string {
  return typeof type === "string" ? type : "custom";
}

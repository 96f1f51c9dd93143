import { bytesTokenizer, createAnthropic } from "@palimpsest/provider-simulator";
import { recallTool, type ToolDefinition } from "palimpsest";
import type { Recording } from "./recording.ts";
import { prose } from "./simulated-summary.ts";

/** The part of a request before the messages. */
export interface ReplayHead {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
}

/** Tools of the recorded agents whose results can be had again, or are mere confirmations. */
const CLEARABLE = new Set([
  "read",
  "grep",
  "glob",
  "ls",
  "find",
  "webfetch",
  "websearch",
  "edit",
  "multiedit",
  "write",
  "apply_patch",
  "bash",
  "powershell",
  "shell",
  "exec_command",
  "write_stdin",
]);

/** A placeholder for the missing head of a transcript: filler text of the recorded size, and the tools that were called. */
export function headOf({ items, sizes }: Recording): ReplayHead {
  const names = new Set<string>();
  for (const { blocks } of items) for (const block of blocks) if (block.kind === "tool_call") names.add(block.name);
  names.delete(recallTool.name);
  const tools = [...names].map((name): ToolDefinition => {
    const results = CLEARABLE.has(name.toLowerCase()) ? "clearable" : "kept";
    return { name, inputSchema: { type: "object" }, results };
  });
  return { system: prose(sizes.headTokens * sizes.bytesPerToken), tools: [...tools, recallTool] };
}

/** Its size as the simulator counts it. */
export function headTokensOf(recording: Recording): number {
  const { system, tools } = headOf(recording);
  const { bytesPerToken } = recording.sizes;
  const tokenizer = bytesTokenizer({ bytesPerToken });
  const counted = createAnthropic({ tokenizer }).countTokens({
    model: "claude-opus-4-8",
    system: [{ type: "text", text: system }],
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      input_schema: { type: "object", ...inputSchema },
      description,
    })),
    messages: [{ role: "user", content: [{ type: "text", text: "x" }] }],
  });
  if ("kind" in counted) throw new Error(`The simulator refused the head of a recording: ${counted.message}`);
  return counted.inputTokens - tokenizer.countText("x") - tokenizer.blockTokens;
}

import type { AnthropicModel, ThinkingType } from "../models.ts";
import { invalid, type Problem } from "../problem.ts";
import {
  BETA,
  type Block,
  type CallOptions,
  hasBeta,
  isThinking,
  type Message,
  type MessagesRequest,
} from "../request.ts";
import { checkExtraFields, isPresent, isRecord, type JsonRecord, unknownTag } from "./shape.ts";

/** Checks the settings against the model: output, thinking, tool choice. */
export function checkSettings(request: MessagesRequest, model: AnthropicModel, call: CallOptions): Problem | undefined {
  return (
    checkMaxTokens(request, model) ??
    checkOutputConfig(request, call) ??
    checkThinking(request, model, call) ??
    checkThinkingFirst(request) ??
    checkToolChoice(request, model)
  );
}

function checkMaxTokens(request: MessagesRequest, model: AnthropicModel): Problem | undefined {
  const { max_tokens: maxTokens = 1 } = request;
  if (maxTokens > model.maxOutputTokens) {
    return invalid(
      `max_tokens: ${maxTokens} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${request.model}`,
    );
  }
  if (maxTokens > 0) return undefined;
  // A request without output warms the cache; everything that is about output makes no sense with it.
  const clash =
    (request.stream && "stream") ||
    (request.thinking?.type === "enabled" && "thinking") ||
    (hasFormat(request) && "output_config.format") ||
    (forcesATool(request) && "tool_choice");
  return clash ? invalid(`max_tokens: 0 is not supported together with \`${clash}\``) : undefined;
}

const OUTPUT_FIELDS = new Set(["effort", "format"]);
const BUDGETED_OUTPUT_FIELDS = new Set([...OUTPUT_FIELDS, "task_budget"]);
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

function checkOutputConfig({ output_config: config }: MessagesRequest, call: CallOptions): Problem | undefined {
  if (!config) return undefined;
  const wrong = checkEffort(config.effort, "");
  if (wrong !== undefined) return wrong;
  const fields = hasBeta(call, BETA.taskBudgets) ? BUDGETED_OUTPUT_FIELDS : OUTPUT_FIELDS;
  return checkExtraFields(config as JsonRecord, fields, () => "output_config");
}

/** `path` is that of the object with the output settings; empty for the request itself. */
export function checkEffort(effort: unknown, path: string): Problem | undefined {
  if (!isPresent(effort) || EFFORTS.includes(effort as string)) return undefined;
  const place = path === "" ? "output_config" : `${path}.output_config`;
  return invalid(`${place}.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'`);
}

const THINKING_TYPES = ["adaptive", "enabled", "disabled", "between_tools"];
const THINKING_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  adaptive: new Set(["type", "display", "block_binding"]),
  enabled: new Set(["type", "display", "block_binding", "budget_tokens"]),
  disabled: new Set(["type"]),
  between_tools: new Set(["type"]),
};

function checkThinking(request: MessagesRequest, model: AnthropicModel, call: CallOptions): Problem | undefined {
  const { thinking } = request;
  if (thinking === undefined) return undefined;
  if (!THINKING_TYPES.includes(thinking.type)) return unknownTag("thinking", thinking.type, THINKING_TYPES);
  if (!model.thinkingTypes.includes(thinking.type as ThinkingType)) {
    const instead = `Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;
    return invalid(`"thinking.type.${thinking.type}" is not supported for this model. ${instead}`);
  }
  const path = () => `thinking.${thinking.type}`;
  const extra = checkExtraFields(thinking as unknown as JsonRecord, THINKING_FIELDS[thinking.type]!, path);
  if (extra !== undefined) return extra;
  if (thinking.type === "enabled") {
    const budget = thinking.budget_tokens;
    if (budget === undefined) return invalid(`${path()}.budget_tokens: Field required`);
    if (!Number.isInteger(budget)) return invalid(`${path()}.budget_tokens: Input should be a valid integer`);
    if (budget < 1_024) return invalid(`${path()}.budget_tokens: Input should be greater than or equal to 1024`);
    if (request.max_tokens !== undefined && budget >= request.max_tokens) {
      return invalid("`max_tokens` must be greater than `thinking.budget_tokens`");
    }
  }
  const displays = ["summarized", "omitted", ...(hasBeta(call, BETA.displayUpdates) ? ["updates"] : [])];
  if (isPresent(thinking.display) && !displays.includes(thinking.display as string)) {
    return invalid(`${path()}.display: Input should be ${displays.map((name) => `'${name}'`).join(" or ")}`);
  }
  return checkBlockBinding(thinking.block_binding, path(), call);
}

function checkBlockBinding(binding: unknown, path: string, call: CallOptions): Problem | undefined {
  if (binding === undefined) return undefined;
  if (!hasBeta(call, BETA.bindingControls)) return invalid(`${path}.block_binding: Extra inputs are not permitted`);
  if (binding === null) return undefined;
  if (!isRecord(binding)) return invalid(`${path}.block_binding: Input should be a valid dictionary`);
  const behavior = binding["prefix_mismatch_behavior"] ?? "error";
  return behavior === "error" || behavior === "drop_block"
    ? undefined
    : invalid(`${path}.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'`);
}

/** With manual thinking, the turn that is still being worked on begins with its thinking. */
function checkThinkingFirst(request: MessagesRequest): Problem | undefined {
  if (request.thinking?.type !== "enabled") return undefined;
  const index = request.messages.findLastIndex((message) => message.role === "assistant");
  const message = request.messages[index];
  if (message === undefined || !isUnfinished(request.messages, index)) return undefined;
  const first: Block | undefined = typeof message.content === "string" ? TEXT : message.content[0];
  if (first === undefined || isThinking(first) || first.type === "compaction") return undefined;
  return invalid(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
  );
}

const TEXT: Block = { type: "text" };

/** Whether the turn is to be gone on with: it is the last word, or what follows answers its calls. */
function isUnfinished(messages: readonly Message[], index: number): boolean {
  if (index === messages.length - 1) return true;
  return messages
    .slice(index + 1)
    .some(({ content }) => typeof content !== "string" && content.some((block) => block.type === "tool_result"));
}

const CHOICES = ["auto", "any", "tool", "none"];
const CHOICE_FIELDS = new Set(["type", "disable_parallel_tool_use"]);
const NAMED_CHOICE_FIELDS = new Set([...CHOICE_FIELDS, "name"]);
const NO_CHOICE_FIELDS = new Set(["type"]);

function checkToolChoice(request: MessagesRequest, model: AnthropicModel): Problem | undefined {
  const choice = request.tool_choice;
  if (choice === undefined) return undefined;
  if (!CHOICES.includes(choice.type)) return unknownTag("tool_choice", choice.type, CHOICES);
  const fields =
    choice.type === "tool" ? NAMED_CHOICE_FIELDS : choice.type === "none" ? NO_CHOICE_FIELDS : CHOICE_FIELDS;
  const extra = checkExtraFields(choice as unknown as JsonRecord, fields, () => `tool_choice.${choice.type}`);
  if (extra !== undefined) return extra;
  if (choice.type === "tool" && typeof choice.name !== "string")
    return invalid("tool_choice.tool.name: Field required");
  if (typeof (choice.disable_parallel_tool_use ?? false) !== "boolean")
    return invalid(`tool_choice.${choice.type}.disable_parallel_tool_use: Input should be a valid boolean`);
  if (choice.type !== "none" && (request.tools ?? []).length === 0) {
    return invalid("tool_choice may only be specified while providing tools.");
  }
  if (
    choice.type === "tool" &&
    !request.tools?.some(({ name, type }) => name === choice.name || type === "mcp_toolset")
  ) {
    return invalid(`Tool '${choice.name}' not found in provided tools`);
  }
  if (!forcesATool(request)) return undefined;
  if (model.forcedToolChoice === "refused")
    return invalid(`tool_choice: type '${choice.type}' is not supported on this model`);
  if (request.thinking?.type === "enabled")
    return invalid("Thinking may not be enabled when tool_choice forces tool use.");
  return undefined;
}

/** Whether the output is to follow a schema, asked for in the present way or in the one before. */
export function hasFormat({ output_config: config, output_format: format }: MessagesRequest): boolean {
  return isPresent(config?.format) || isPresent(format);
}

export function forcesATool(request: MessagesRequest): boolean {
  return request.tool_choice?.type === "any" || request.tool_choice?.type === "tool";
}

import { isDeeplyFrozen } from "../../remember-frozen.ts";
import type { AnthropicModel } from "../models.ts";
import { invalid, type Problem } from "../problem.ts";
import { BETA, type CallOptions, hasBeta, isCurrent, type Message, type MessagesRequest } from "../request.ts";
import { checkBlock } from "./check-blocks.ts";
import { checkEffort } from "./check-settings.ts";
import { checkExtraFields, isPresent, isRecord, type JsonRecord } from "./shape.ts";

/** Each message by itself: legal blocks for its role, nothing blank, system messages in their places. */
export type ContentCheck = (request: MessagesRequest, model: AnthropicModel, call: CallOptions) => Problem | undefined;

/** A check that looks only once at messages that can never change. */
export function createContentCheck(): ContentCheck {
  const inOrderByRules = new Map<string, WeakSet<Message>>();

  /** Messages that can never change and broke no rule of their own, under the version and betas of the call. */
  function foundInOrder(call: CallOptions): WeakSet<Message> {
    const rules = `${isCurrent(call)},${call.betas?.join(",") ?? ""}`;
    const known = inOrderByRules.get(rules) ?? new WeakSet();
    inOrderByRules.set(rules, known);
    return known;
  }

  return (request, model, call) => {
    const { messages } = request;
    const inOrder = foundInOrder(call);
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index]!;
      if (!inOrder.has(message)) {
        const problem = checkMessage(message, { index, count: messages.length, call });
        if (problem !== undefined) return problem;
        if (message.content.length > 0 && isDeeplyFrozen(message)) inOrder.add(message);
      }
      const misplaced = message.role === "system" ? checkSystemMessage(messages, index, model) : undefined;
      if (misplaced !== undefined) return misplaced;
    }
    // Asking for a summary of a finished conversation is not asking to go on with its last words.
    return request.compaction ? undefined : checkPrefill(messages.at(-1)!, model);
  };
}

interface Place {
  readonly index: number;
  readonly count: number;
  readonly call: CallOptions;
}

function checkMessage(message: Message, { index, count, call }: Place): Problem | undefined {
  return (
    checkMessageFields(message, index, call) ??
    checkEmpty(message, index, count) ??
    checkBlocks(message, index, call) ??
    checkBlank(message)
  );
}

const MESSAGE_FIELDS = new Set(["role", "content"]);
/** What only system messages have, each for callers who ask for its beta. */
const SYSTEM_MESSAGE_BETAS: ReadonlyMap<string, string> = new Map([
  ["clear_at", BETA.clearAt],
  ["output_config", BETA.messageOutputConfig],
]);

function checkMessageFields(message: Message, index: number, call: CallOptions): Problem | undefined {
  const path = () => `messages.${index}`;
  const isAllowed = (field: string): boolean => {
    const beta = message.role === "system" ? SYSTEM_MESSAGE_BETAS.get(field) : undefined;
    return MESSAGE_FIELDS.has(field) || (beta !== undefined && hasBeta(call, beta));
  };
  const extra = checkExtraFields(message as unknown as JsonRecord, { has: isAllowed }, path);
  if (extra !== undefined) return extra;
  const { clear_at: clearAt = null, output_config: config = null } = message;
  if (clearAt !== null && clearAt !== "never" && clearAt !== "next_user_message")
    return invalid(`${path()}.clear_at: Input should be 'next_user_message' or 'never'`);
  if (config === null) return undefined;
  if (!isRecord(config)) return invalid(`${path()}.output_config: Input should be a valid dictionary`);
  return (
    checkExtraFields(config, EFFORT_FIELD, () => `${path()}.output_config`) ?? checkEffort(config["effort"], path())
  );
}

const EFFORT_FIELD = new Set(["effort"]);

function checkEmpty(
  { role, content, output_config: config }: Message,
  index: number,
  count: number,
): Problem | undefined {
  if (content.length > 0) return undefined;
  if (role === "assistant" && index === count - 1) return undefined;
  // A system message may do nothing but set the effort from here on (types of the client library).
  if (role === "system" && isPresent(config?.effort)) return undefined;
  return invalid(
    `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
  );
}

function checkBlocks({ role, content }: Message, index: number, call: CallOptions): Problem | undefined {
  if (typeof content === "string") return undefined;
  for (let position = 0; position < content.length; position++) {
    const problem = checkBlock(content[position]!, role, call, () => `messages.${index}.content.${position}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Blank text is refused only where a message has text and all of it is blank, whoever says it: a model's own blank
 * lines beside real text are taken back (tried on the live service, LibreChat-AI/agents#124).
 */
function checkBlank({ content }: Message): Problem | undefined {
  let blank = false;
  if (typeof content === "string") {
    blank = content !== "" && isBlank(content);
  } else {
    for (const block of content) {
      if (block.type !== "text") continue;
      blank = isBlank(block["text"] as string);
      if (!blank) return undefined;
    }
  }
  return blank ? invalid("messages: text content blocks must contain non-whitespace text") : undefined;
}

/** Stops at the first visible character: trimming would copy the text. */
function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** Not first; after a user turn or an assistant turn that ends in server work; last, or before an assistant turn. */
function checkSystemMessage(messages: readonly Message[], index: number, model: AnthropicModel): Problem | undefined {
  if (model.systemMessages === "refused") return invalid("role 'system' is not supported on this model");
  const before = messages[index - 1];
  const after = messages[index + 1];
  if (before === undefined) return invalid("messages.0: a `system` message cannot be first");
  const follows = before.role === "user" || (before.role === "assistant" && endsInServerTool(before));
  if (!follows) return invalid(`messages.${index}: a \`system\` message must follow a user message`);
  if (after !== undefined && after.role !== "assistant") {
    return invalid(`messages.${index}: a \`system\` message must be last or be followed by an assistant message`);
  }
  return undefined;
}

function checkPrefill(last: Message, model: AnthropicModel): Problem | undefined {
  if (last.role !== "assistant" || resumes(last)) return undefined;
  if (model.prefill === "refused") {
    return invalid(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  const text = typeof last.content === "string" ? last.content : last.content.at(-1)?.["text"];
  return typeof text === "string" && /\s$/.test(text)
    ? invalid("messages: final assistant content cannot end with trailing whitespace")
    : undefined;
}

/** Resuming a paused turn, or replaying a compaction alone, ends in an assistant message without being a prefill. */
function resumes(message: Message): boolean {
  const last = typeof message.content === "string" ? undefined : message.content.at(-1);
  return last !== undefined && (endsInServerTool(message) || last.type === "compaction" || last.type === "tool_use");
}

function endsInServerTool(message: Message): boolean {
  const last = typeof message.content === "string" ? undefined : message.content.at(-1);
  return last !== undefined && (last.type === "server_tool_use" || last.type.endsWith("_tool_result"));
}

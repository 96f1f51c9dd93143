import { invalid, type Problem } from "../problem.ts";
import { BETA, BETAS, type CallOptions, hasBeta, isCurrent } from "../request.ts";
import { checkIgnored } from "./check-ignored.ts";
import { checkTools } from "./check-tools.ts";
import { checkCacheControl, checkExtraFields, isPresent, isRecord, isTyped, type JsonRecord } from "./shape.ts";

export type Endpoint = "messages" | "count_tokens";

const COUNTED_FIELDS = [
  ...["model", "messages", "system", "tools", "tool_choice", "thinking", "cache_control", "output_config", "speed"],
];
const FIELDS: Readonly<Record<Endpoint, ReadonlySet<string>>> = {
  count_tokens: new Set(COUNTED_FIELDS),
  messages: new Set([
    ...COUNTED_FIELDS,
    ...["max_tokens", "stream", "stop_sequences", "diagnostics", "container", "inference_geo", "metadata"],
    "service_tier",
  ]),
};
const SAMPLING_FIELDS = ["temperature", "top_p", "top_k"];
/** Body fields that exist only for callers who ask for a beta, and where. */
const BETA_FIELDS: Readonly<Record<string, { betas: readonly string[]; endpoints: readonly Endpoint[] }>> = {
  context_management: {
    betas: [BETA.contextManagement, BETA.thresholdCompaction],
    endpoints: ["messages", "count_tokens"],
  },
  compaction: { betas: [BETA.onDemandCompaction], endpoints: ["messages", "count_tokens"] },
  thread: { betas: [BETA.threads], endpoints: ["messages"] },
  cache_edits: { betas: [BETA.cacheEdits], endpoints: ["messages"] },
  // Accepted and, beyond their shape, ignored: no server is asked for its tools, no model declines, no schema is held.
  mcp_servers: { betas: BETAS.mcp, endpoints: ["messages", "count_tokens"] },
  fallbacks: { betas: BETAS.fallbacks, endpoints: ["messages"] },
  output_format: { betas: [BETA.structuredOutputs], endpoints: ["messages", "count_tokens"] },
};
const RECORDS_OR_NULL = [
  "diagnostics",
  "context_management",
  "compaction",
  "thread",
  "output_config",
  "metadata",
  "cache_edits",
];
const MAXIMUM_MESSAGES = 100_000;

/** Whether the value has the fields and types of a Messages request at all. Everything after may rely on them. */
export function checkShape(value: unknown, endpoint: Endpoint, call: CallOptions): Problem | undefined {
  if (!isRecord(value)) return invalid("Input should be a valid dictionary");
  return (
    checkFields(value, endpoint, call) ??
    checkScalars(value, endpoint) ??
    checkSettingsShape(value) ??
    checkIgnored(value) ??
    checkSystem(value["system"]) ??
    checkTools(value["tools"], call) ??
    checkMessages(value, call)
  );
}

function checkFields(body: JsonRecord, endpoint: Endpoint, call: CallOptions): Problem | undefined {
  for (const field of Object.keys(body)) {
    if (body[field] === undefined || FIELDS[endpoint].has(field)) continue;
    if (SAMPLING_FIELDS.includes(field) && endpoint === "messages") {
      if (!isCurrent(call)) continue;
      // Refused since version 2026-10-21; the wording of the real refusal was not seen.
      return invalid(`${field}: Sampling parameters are not supported on this version of the API`);
    }
    const rule = Object.hasOwn(BETA_FIELDS, field) ? BETA_FIELDS[field] : undefined;
    if (rule?.endpoints.includes(endpoint) && hasBeta(call, ...rule.betas)) continue;
    return invalid(`${field}: Extra inputs are not permitted`);
  }
  const required = endpoint === "messages" ? ["model", "messages", "max_tokens"] : ["model", "messages"];
  const missing = required.find((field) => body[field] === undefined);
  return missing === undefined ? undefined : invalid(`${missing}: Field required`);
}

function checkScalars(body: JsonRecord, endpoint: Endpoint): Problem | undefined {
  if (typeof body["model"] !== "string") return invalid("model: Input should be a valid string");
  const maxTokens = body["max_tokens"];
  if (endpoint === "messages" && !Number.isInteger(maxTokens)) {
    return invalid("max_tokens: Input should be a valid integer");
  }
  if ((maxTokens as number) < 0) return invalid("max_tokens: Input should be greater than or equal to 0");
  if (body["stream"] !== undefined && typeof body["stream"] !== "boolean")
    return invalid("stream: Input should be a valid boolean");
  if (isPresent(body["speed"]) && body["speed"] !== "standard" && body["speed"] !== "fast")
    return invalid("speed: Input should be 'standard' or 'fast'");
  const tier = body["service_tier"];
  if (tier !== undefined && tier !== "auto" && tier !== "standard_only")
    return invalid("service_tier: Input should be 'auto' or 'standard_only'");
  if (isPresent(body["inference_geo"]) && typeof body["inference_geo"] !== "string")
    return invalid("inference_geo: Input should be a valid string");
  const stops = body["stop_sequences"];
  if (stops === undefined) return undefined;
  if (!Array.isArray(stops)) return invalid("stop_sequences: Input should be a valid list");
  const wrong = stops.findIndex((stop) => typeof stop !== "string");
  return wrong < 0 ? undefined : invalid(`stop_sequences.${wrong}: Input should be a valid string`);
}

function checkSettingsShape(body: JsonRecord): Problem | undefined {
  for (const field of ["thinking", "tool_choice"]) {
    if (body[field] !== undefined && !isTyped(body[field]))
      return invalid(`${field}: Input should be a valid dictionary`);
  }
  for (const field of RECORDS_OR_NULL) {
    if (isPresent(body[field]) && !isRecord(body[field]))
      return invalid(`${field}: Input should be a valid dictionary`);
  }
  const { context_management: management, diagnostics, thread, cache_control } = body as Record<string, JsonRecord>;
  const edits = management?.["edits"];
  if (isPresent(edits) && !(Array.isArray(edits) && edits.every(isTyped))) {
    return invalid("context_management.edits: Input should be a valid list");
  }
  const previousId = diagnostics?.["previous_message_id"];
  if (isPresent(previousId) && typeof previousId !== "string")
    return invalid("diagnostics.previous_message_id: Input should be a valid string");
  if (thread && thread["type"] !== "create" && thread["type"] !== "continue")
    return invalid("thread.type: Input should be 'create' or 'continue'");
  if (thread?.["type"] === "continue" && typeof thread["previous_message_id"] !== "string")
    return invalid("thread.continue.previous_message_id: Field required");
  // The top-level mark has no path before it.
  const problem = checkCacheControl(cache_control, () => "");
  return problem && { ...problem, message: problem.message.slice(1) };
}

const SYSTEM_FIELDS = new Set(["type", "text", "cache_control", "citations"]);

function checkSystem(system: unknown): Problem | undefined {
  if (system === undefined || typeof system === "string") return undefined;
  if (!Array.isArray(system)) return invalid("system: Input should be a valid list");
  for (const [index, block] of system.entries()) {
    const path = () => `system.${index}`;
    if (!isTyped(block) || block.type !== "text") return invalid(`${path()}.type: Input should be 'text'`);
    if (typeof block["text"] !== "string") return invalid(`${path()}.text: Field required`);
    const problem = checkExtraFields(block, SYSTEM_FIELDS, path) ?? checkCacheControl(block["cache_control"], path);
    if (problem !== undefined) return problem;
    if (block["text"] !== "") continue;
    return block["cache_control"]
      ? invalid(`${path()}.text: cache_control cannot be set for empty text blocks`)
      : invalid("system: text content blocks must be non-empty");
  }
  return undefined;
}

function checkMessages({ messages, thread }: JsonRecord, call: CallOptions): Problem | undefined {
  if (!Array.isArray(messages)) return invalid("messages: Input should be a valid list");
  // A thread may be continued with nothing new where the service itself is to go on with a paused turn.
  if (messages.length === 0 && (thread as JsonRecord | undefined)?.["type"] !== "continue")
    return invalid("messages: at least one message is required");
  if (messages.length > MAXIMUM_MESSAGES)
    return invalid(
      `messages: List should have at most ${MAXIMUM_MESSAGES} items after validation, not ${messages.length}`,
    );
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (!isRecord(message)) return invalid(`messages.${index}: Input should be a valid dictionary`);
    const { role, content } = message;
    if (role !== "user" && role !== "assistant" && role !== "system") {
      return invalid(`messages.${index}.role: Input should be 'user', 'assistant' or 'system'`);
    }
    if (typeof content === "string") continue;
    if (content === undefined) {
      const setsEffort =
        role === "system" && isPresent(message["output_config"]) && hasBeta(call, BETA.messageOutputConfig);
      if (setsEffort) continue;
      return invalid(`messages.${index}.content: Field required`);
    }
    if (!Array.isArray(content)) return invalid(`messages.${index}.content: Input should be a valid list`);
    for (let position = 0; position < content.length; position++) {
      if (!isTyped(content[position])) return invalid(`messages.${index}.content.${position}.type: Field required`);
    }
  }
  return undefined;
}

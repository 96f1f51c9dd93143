import { asArray, asText, isObject, type JsonObject } from "../../json.ts";
import { type PromptBlock, type PromptEntry, sumTokens, textBlock } from "../../prompt.ts";
import { rememberFrozen } from "../../remember-frozen.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import { isStrictJson } from "../../well-formed.ts";
import { checkResponsesTools } from "../check-tools.ts";
import { checkParts, readParts, textOfContent } from "../content-parts.ts";
import { invalidRequest, invalidValue, type Problem, unparsableBody } from "../problem.ts";
import { checkShape, invalidType, optional, optionalChoice, required, requiredChoice, type Shape } from "../shape.ts";
import { unsealContent, unverifiableContent } from "./sealed.ts";

/** One item of the input, read once: what it says, what it costs, and what the rules of pairing need to know. */
export interface ReadItem extends PromptEntry {
  readonly type: string;
  readonly id?: string;
  /** Of calls and of their outputs. */
  readonly callId?: string;
  /** The reasoning item that sealed content belongs to, where the item's own id was left out. */
  readonly sealedId?: string;
  readonly raw: JsonObject;
  /** Faulty items are checked again to find out where they stand. */
  readonly condition: "sound" | "faulty";
}

const itemStatus = optionalChoice("in_progress", "completed", "incomplete");
const id = { ...optional("string", "null"), maxLength: 64 };
const type = required("string");
const callId = { ...required("string"), maxLength: 64 };
const caller = optional("object", "null");

const execution = optionalChoice("server", "client");
const anything = required("object", "array", "string", "number", "boolean", "null");

const ITEMS: Readonly<Record<string, Shape>> = {
  message: {
    type: optional("string"),
    role: requiredChoice("assistant", "system", "developer", "user"),
    content: required("string", "array"),
    id,
    status: itemStatus,
    phase: optionalChoice("commentary", "final_answer"),
  },
  function_call: {
    type,
    call_id: callId,
    name: required("string"),
    arguments: required("string"),
    id,
    status: itemStatus,
    namespace: optional("string", "null"),
    async: optional("boolean"),
    caller,
  },
  function_call_output: {
    type,
    call_id: callId,
    output: required("string", "array"),
    id,
    status: itemStatus,
    name: optional("string", "null"),
    namespace: optional("string", "null"),
    caller,
  },
  custom_tool_call: {
    type,
    call_id: callId,
    name: required("string"),
    input: required("string"),
    id,
    status: itemStatus,
    namespace: optional("string", "null"),
    async: optional("boolean"),
    caller,
  },
  custom_tool_call_output: {
    type,
    call_id: callId,
    output: required("string", "array"),
    id,
    status: itemStatus,
    caller,
  },
  reasoning: {
    type,
    summary: required("array"),
    id,
    encrypted_content: optional("string", "null"),
    content: optional("array", "null"),
    status: itemStatus,
  },
  tool_search_call: {
    type,
    arguments: anything,
    call_id: { ...optional("string", "null"), maxLength: 64 },
    execution,
    id,
    status: itemStatus,
  },
  tool_search_output: {
    type,
    tools: required("array"),
    call_id: { ...optional("string", "null"), maxLength: 64 },
    execution,
    id,
    status: itemStatus,
  },
  compaction: { type, encrypted_content: required("string"), id },
  compaction_trigger: { type, id },
  item_reference: { type: optional("string", "null"), id: { ...required("string"), maxLength: 64 } },
};

/** Items of the service's own tools: accepted and counted, their fields and pairs not checked. */
const OPAQUE_ITEMS = [
  "additional_tools",
  "apply_patch_call",
  "apply_patch_call_output",
  "code_interpreter_call",
  "computer_call",
  "computer_call_output",
  "configuration_update",
  "file_search_call",
  "image_generation_call",
  "local_shell_call",
  "local_shell_call_output",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "mcp_list_tools",
  "program",
  "program_output",
  "shell_call",
  "shell_call_output",
  "web_search_call",
];

/** "Expected an ID that begins with 'fc'": the ids of calls and of their items are easily confused. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
  compaction: "cmp",
};

const PAIRED_CALLS = ["function_call", "custom_tool_call", "tool_search_call"];
const PAIRED_OUTPUTS = ["function_call_output", "custom_tool_call_output", "tool_search_output"];

const INPUT_PARTS = ["input_text", "input_image", "input_file"];
const OUTPUT_PARTS = ["output_text", "refusal"];

/** What is wrong with one item by itself, in the service's words. */
export function checkItem(item: unknown, path: string): Problem | undefined {
  if (!isStrictJson(item)) return unparsableBody();
  if (!isObject(item)) return invalidType(path, ["object"], item);
  const kind = kindOf(item);
  const shape = Object.hasOwn(ITEMS, kind) ? ITEMS[kind]! : undefined;
  if (shape === undefined) {
    if (OPAQUE_ITEMS.includes(kind)) return undefined;
    return invalidValue(`${path}.type`, kind, [...Object.keys(ITEMS), ...OPAQUE_ITEMS].sort());
  }
  return checkShape(item, shape, { path }) ?? checkId(item, kind, path) ?? checkContent(item, kind, path);
}

function checkId(item: JsonObject, kind: string, path: string): Problem | undefined {
  const itemId = item["id"];
  const prefix = kind === "message" && item["role"] === "assistant" ? "msg" : ID_PREFIXES[kind];
  if (typeof itemId !== "string" || prefix === undefined || itemId.startsWith(prefix)) return undefined;
  const message = `Invalid '${path}.id': '${itemId}'. Expected an ID that begins with '${prefix}'.`;
  return invalidRequest(message, { param: `${path}.id`, code: "invalid_value" });
}

/** A call's arguments need not parse: models garble them, and no refusal of broken ones was seen. */
function checkContent(item: JsonObject, kind: string, path: string): Problem | undefined {
  switch (kind) {
    case "message":
      return checkParts(item["content"], item["role"] === "assistant" ? OUTPUT_PARTS : INPUT_PARTS, {
        path: `${path}.content`,
      });
    case "function_call_output":
    case "custom_tool_call_output":
      return checkParts(item["output"], INPUT_PARTS, { path: `${path}.output` });
    case "reasoning":
      return (
        checkParts(item["summary"], ["summary_text"], { path: `${path}.summary` }) ??
        checkParts(item["content"], ["reasoning_text"], { path: `${path}.content` }) ??
        checkSeal(item, kind)
      );
    case "compaction":
      return checkSeal(item, kind);
    case "tool_search_output":
      return checkResponsesTools(item["tools"], `${path}.tools`);
    default:
      return undefined;
  }
}

function checkSeal(item: JsonObject, kind: "reasoning" | "compaction"): Problem | undefined {
  const sealed = item["encrypted_content"];
  if (typeof sealed !== "string") return undefined;
  const content = unsealContent(sealed);
  const genuine = content?.kind === kind && (typeof item["id"] !== "string" || item["id"] === content.id);
  return genuine ? undefined : unverifiableContent(sealed);
}

/** Items carry a type, except messages in their easy form and bare references. */
function kindOf(item: JsonObject): string {
  if (typeof item["type"] === "string") return item["type"];
  return item["role"] === undefined && item["id"] !== undefined ? "item_reference" : "message";
}

/** Reads items with one tokenizer, frozen ones only once. */
export function createItemReader(tokenizer: Tokenizer): (item: unknown) => ReadItem {
  const readObject = rememberFrozen((item: object) => readItem(item as JsonObject, tokenizer));
  return (item) => readObject(typeof item === "object" && item !== null ? item : { faulty: item });
}

function readItem(item: JsonObject, tokenizer: Tokenizer): ReadItem {
  const kind = kindOf(item);
  const faulty: ReadItem = {
    type: kind,
    raw: item,
    condition: "faulty",
    speaker: "user",
    text: "",
    blocks: [],
    tokens: 0,
  };
  if (checkItem(item, "") !== undefined) return faulty;
  const blocks = readBlocks(item, kind, tokenizer);
  const sealed = typeof item["encrypted_content"] === "string" ? unsealContent(item["encrypted_content"]) : undefined;
  const itemCallId = item["call_id"];
  const isOutput = PAIRED_OUTPUTS.includes(kind);
  const isCall = PAIRED_CALLS.includes(kind);
  return {
    type: kind,
    raw: item,
    condition: "sound",
    speaker: speakerOf(item, kind),
    text: textOfContent(item["content"] ?? item["output"]),
    blocks,
    tokens: sumTokens(blocks),
    ...(typeof item["id"] === "string" ? { id: item["id"] } : {}),
    ...(typeof itemCallId === "string" ? { callId: itemCallId } : {}),
    ...(isOutput && typeof itemCallId === "string" ? { resultOf: itemCallId } : {}),
    ...(isCall && typeof itemCallId === "string" ? { calls: [itemCallId] } : {}),
    sealedId: sealed?.id,
  };
}

function speakerOf(item: JsonObject, kind: string): PromptEntry["speaker"] {
  if (kind.endsWith("_output")) return "tool";
  if (kind !== "message") return "assistant";
  return item["role"] === "user" ? "user" : item["role"] === "assistant" ? "assistant" : "instructions";
}

/** Ids, statuses and breakpoints are not part of the prompt: a replayed answer matches however it was written down. */
function readBlocks(item: JsonObject, kind: string, tokenizer: Tokenizer): PromptBlock[] {
  switch (kind) {
    case "message":
      return readParts(`message ${asText(item["role"])}`, item["content"], tokenizer);
    case "function_call":
    case "custom_tool_call": {
      const body = asText(item["arguments"]) || asText(item["input"]);
      return [textBlock(`${kind} ${asText(item["call_id"])}`, `${asText(item["name"])}(${body})`, tokenizer)];
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return readParts(`${kind} ${asText(item["call_id"])}`, item["output"], tokenizer);
    case "reasoning":
      return [textBlock(kind, thoughtOf(item), tokenizer)];
    case "compaction":
      return [textBlock(kind, unsealContent(asText(item["encrypted_content"]))?.text ?? "", tokenizer)];
    case "compaction_trigger":
    case "item_reference":
      return [];
    case "tool_search_call":
    case "tool_search_output": {
      const { id: _, status: __, ...said } = item;
      return [textBlock(kind, JSON.stringify(said), tokenizer)];
    }
    default:
      return [textBlock(kind, JSON.stringify(item), tokenizer)];
  }
}

/** What the model thought counts, not the shorter summary of it, as long as the seal gives it away. */
function thoughtOf(item: JsonObject): string {
  const sealed = unsealContent(asText(item["encrypted_content"]));
  if (sealed !== undefined) return sealed.text;
  return asArray(item["summary"])
    .map((part) => (isObject(part) ? asText(part["text"]) : ""))
    .join("\n");
}

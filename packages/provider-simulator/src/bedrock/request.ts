import type { JsonObject } from "../json.ts";
import { constraints, type Problem, serialization, validation } from "./problem.ts";
import { type Field, type Fields, findFlaws } from "./read-value.ts";

/** A request whose members have the right types. */
export interface ConverseRequest extends JsonObject {
  readonly messages?: readonly ConverseMessage[];
  readonly system?: readonly ContentBlock[];
  readonly inferenceConfig?: {
    readonly maxTokens?: number;
    readonly temperature?: number;
    readonly topP?: number;
    readonly stopSequences?: readonly string[];
  };
  readonly toolConfig?: {
    readonly tools: readonly ToolMember[];
    readonly toolChoice?: { readonly auto?: object; readonly any?: object; readonly tool?: { readonly name: string } };
  };
  readonly additionalModelRequestFields?: JsonObject;
}

export interface ConverseMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly ContentBlock[];
}

export interface CachePoint {
  readonly type: "default";
  readonly ttl?: "5m" | "1h";
}

export interface Document {
  readonly format?: string;
  readonly name: string;
  readonly source: { readonly bytes?: string; readonly text?: string; readonly content?: readonly { text: string }[] };
}

/** A block of a message, of the system prompt or of a result: one of its members is set. */
export interface ContentBlock extends JsonObject {
  readonly text?: string;
  readonly image?: { readonly format: string; readonly source: { readonly bytes?: string } };
  readonly document?: Document;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input?: unknown };
  readonly toolResult?: {
    readonly toolUseId: string;
    readonly content: readonly (ContentBlock & { readonly json?: unknown })[];
    readonly status?: "success" | "error";
  };
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text: string; readonly signature?: string };
    readonly redactedContent?: string;
  };
  readonly cachePoint?: CachePoint;
}

export interface ToolMember extends JsonObject {
  readonly toolSpec?: {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: { readonly json: JsonObject };
    readonly strict?: boolean;
  };
  readonly cachePoint?: CachePoint;
}

// Members, lengths and patterns as in the API reference and in the types of @aws-sdk/client-bedrock-runtime 3.1127.
const ANY: Field = { kind: "any" };
const TEXT: Field = { kind: "text" };
const CALL_ID: Field = { kind: "text", least: 1, most: 64, pattern: "[a-zA-Z0-9_.:-]+" };
const TOOL_NAME: Field = { kind: "text", least: 1, most: 64, pattern: "[a-zA-Z0-9_-]+" };
const OBJECT: Field = { kind: "object" };

function structure(of: Fields, ...needs: readonly string[]): Field {
  return { kind: "structure", of, needs };
}

function union(name: string, of: Fields): Field {
  return { kind: "union", name, of };
}

function list(of: Field, least = 0): Field {
  return { kind: "list", of, least };
}

function choice(...of: readonly string[]): Field {
  return { kind: "choice", of };
}

const CACHE_POINT = structure({ type: choice("default"), ttl: choice("5m", "1h") }, "type");
const IMAGE = structure(
  {
    format: choice("png", "jpeg", "gif", "webp"),
    source: union("ImageSource", { bytes: TEXT, s3Location: ANY }),
  },
  "format",
  "source",
);
const DOCUMENT = structure(
  {
    format: choice("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"),
    name: { kind: "text", least: 1, most: 200 },
    source: union("DocumentSource", {
      bytes: TEXT,
      text: TEXT,
      content: list(union("DocumentContentBlock", { text: TEXT })),
      s3Location: ANY,
    }),
  },
  "name",
  "source",
);

const RESULT_CONTENT = union("ToolResultContentBlock", {
  json: ANY,
  text: TEXT,
  image: IMAGE,
  document: DOCUMENT,
  video: ANY,
  searchResult: ANY,
});

const CONTENT = union("ContentBlock", {
  text: TEXT,
  image: IMAGE,
  document: DOCUMENT,
  video: ANY,
  audio: ANY,
  toolUse: structure({ toolUseId: CALL_ID, name: TOOL_NAME, input: ANY }, "toolUseId", "name", "input"),
  toolResult: structure(
    { toolUseId: CALL_ID, content: list(RESULT_CONTENT), status: choice("success", "error") },
    "toolUseId",
    "content",
  ),
  guardContent: ANY,
  cachePoint: CACHE_POINT,
  reasoningContent: union("ReasoningContentBlock", {
    reasoningText: structure({ text: TEXT, signature: TEXT }, "text"),
    redactedContent: TEXT,
  }),
  citationsContent: ANY,
  searchResult: ANY,
});

const TOOL = union("Tool", {
  toolSpec: structure(
    {
      name: TOOL_NAME,
      description: { kind: "text", least: 1 },
      inputSchema: union("ToolInputSchema", { json: OBJECT }),
    },
    "name",
    "inputSchema",
  ),
  systemTool: ANY,
  cachePoint: CACHE_POINT,
});

const REQUEST = structure({
  messages: list(structure({ role: choice("user", "assistant"), content: list(CONTENT) }, "role", "content")),
  system: list(
    union("SystemContentBlock", { text: { kind: "text", least: 1 }, guardContent: ANY, cachePoint: CACHE_POINT }),
  ),
  inferenceConfig: structure({
    maxTokens: { kind: "number", least: 1 },
    temperature: { kind: "number", least: 0, most: 1 },
    topP: { kind: "number", least: 0, most: 1 },
    stopSequences: list({ kind: "text", least: 1 }),
  }),
  toolConfig: structure(
    {
      tools: list(TOOL, 1),
      toolChoice: union("ToolChoice", { auto: OBJECT, any: OBJECT, tool: structure({ name: TOOL_NAME }, "name") }),
    },
    "tools",
  ),
  additionalModelRequestFields: OBJECT,
});

/** Reads a body, or says what is wrong with the types, lengths and members of its values. */
export function readRequest(body: unknown): { readonly kind: "read"; readonly request: ConverseRequest } | Problem {
  const { types, constraints: broken, unions } = findFlaws(body, REQUEST);
  if (types[0] !== undefined) return serialization(types[0]);
  if (broken.length > 0) return constraints(broken);
  if (unions[0] !== undefined) return validation(unions[0]);
  return { kind: "read", request: body as ConverseRequest };
}

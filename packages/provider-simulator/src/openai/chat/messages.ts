import { asArray, asText, isObject, type JsonObject } from "../../json.ts";
import { type PromptBlock, type PromptEntry, sumTokens, textBlock } from "../../prompt.ts";
import { rememberFrozen } from "../../remember-frozen.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import { isStrictJson } from "../../well-formed.ts";
import { checkParts, readParts, textOfContent } from "../content-parts.ts";
import { emptyArray, invalidRequest, missingParameter, type Problem, unparsableBody } from "../problem.ts";
import { checkShape, invalidType, optional, required, requiredChoice, type Shape } from "../shape.ts";

/** One message of a chat, read once. */
export interface ReadMessage extends PromptEntry {
  readonly role: string;
  /** Faulty messages are checked again to find out where they stand. */
  readonly condition: "sound" | "faulty";
}

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"];
const role = requiredChoice(...ROLES);
const name = optional("string", "null");
const words = required("string", "array");

const MESSAGES: Readonly<Record<string, Shape>> = {
  system: { role, content: words, name },
  developer: { role, content: words, name },
  user: { role, content: words, name },
  assistant: {
    role,
    content: optional("string", "array", "null"),
    name,
    refusal: optional("string", "null"),
    audio: optional("object", "null"),
    annotations: optional("array", "null"),
    function_call: optional("object", "null"),
    tool_calls: optional("array", "null"),
  },
  tool: { role, content: words, tool_call_id: required("string"), name },
  function: { role, content: required("string", "null"), name: required("string") },
};

const PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
  function: [],
};

const CALL: Shape = {
  id: { ...required("string"), maxLength: 40 },
  type: requiredChoice("function", "custom"),
  function: optional("object"),
  custom: optional("object"),
};

const CALLED: Shape = { name: required("string"), arguments: required("string") };

/** How strictly messages are read: compatible servers ignore unknown fields, and look at calls no closer than they must. */
export interface MessageRules {
  /** @default "refused" */
  readonly unknownFields?: "refused" | "ignored";
}

/** What is wrong with one message by itself, in the service's words. */
export function checkMessage(message: unknown, path: string, rules: MessageRules = {}): Problem | undefined {
  const { unknownFields = "refused" } = rules;
  if (!isStrictJson(message)) return unparsableBody();
  if (!isObject(message)) return invalidType(path, ["object"], message);
  const speaker = asText(message["role"]);
  const shape = Object.hasOwn(MESSAGES, speaker) ? MESSAGES[speaker]! : { role };
  return (
    checkShape(message, shape, { path, unknownFields }) ??
    checkParts(message["content"], PARTS[speaker] ?? [], { path: `${path}.content`, unknownFields }) ??
    (speaker === "assistant" && unknownFields === "refused" ? checkSaid(message, path) : undefined) ??
    checkCalls(message, path, unknownFields)
  );
}

function checkSaid(message: JsonObject, path: string): Problem | undefined {
  const calls = message["tool_calls"];
  if (Array.isArray(calls) && calls.length === 0) return emptyArray(`${path}.tool_calls`);
  const said = ["content", "tool_calls", "function_call", "refusal", "audio"].some(
    (field) => message[field] !== undefined && message[field] !== null,
  );
  if (said) return undefined;
  // The older style of path has survived here.
  const param = `${path.replace("[", ".[")}.content`;
  return invalidRequest("Invalid value for 'content': expected a string, got null.", { param });
}

function checkCalls(message: JsonObject, path: string, unknownFields: "refused" | "ignored"): Problem | undefined {
  for (const [index, call] of asArray(message["tool_calls"]).entries()) {
    const at = `${path}.tool_calls[${index}]`;
    if (!isObject(call)) return invalidType(at, ["object"], call);
    const shape = unknownFields === "refused" ? CALL : { ...CALL, id: required("string") };
    const problem = checkShape(call, shape, { path: at, unknownFields }) ?? checkCalled(call, at, unknownFields);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkCalled(call: JsonObject, path: string, unknownFields: "refused" | "ignored"): Problem | undefined {
  if (call["type"] !== "function") return undefined;
  const called = call["function"];
  if (!isObject(called)) return missingParameter(`${path}.function`);
  const at = `${path}.function`;
  // Arguments need not parse: no refusal of broken ones was seen.
  return checkShape(called, CALLED, { path: at, unknownFields });
}

/** Reads messages with one tokenizer, frozen ones only once. */
export function createMessageReader(tokenizer: Tokenizer, rules: MessageRules): (message: unknown) => ReadMessage {
  const readObject = rememberFrozen((message: object) => readMessage(message as JsonObject, tokenizer, rules));
  return (message) => readObject(typeof message === "object" && message !== null ? message : { faulty: message });
}

function readMessage(message: JsonObject, tokenizer: Tokenizer, rules: MessageRules): ReadMessage {
  const speaker = asText(message["role"]);
  if (checkMessage(message, "", rules) !== undefined) {
    return { role: speaker, condition: "faulty", speaker: "user", text: "", blocks: [], tokens: 0 };
  }
  const calls = asArray(message["tool_calls"]).filter(isObject);
  const blocks = [...readContent(message, speaker, tokenizer), ...calls.map((call) => callBlock(call, tokenizer))];
  const answers = message["tool_call_id"];
  return {
    role: speaker,
    condition: "sound",
    speaker: speakerOf(speaker),
    text: textOfContent(message["content"]),
    blocks,
    tokens: sumTokens(blocks),
    ...(calls.length === 0 ? {} : { calls: calls.map((call) => asText(call["id"])) }),
    ...(speaker === "tool" ? { resultOf: asText(answers) } : {}),
  };
}

function readContent(message: JsonObject, speaker: string, tokenizer: Tokenizer): PromptBlock[] {
  const label =
    speaker === "tool" ? `tool ${asText(message["tool_call_id"])}` : `message ${speaker} ${asText(message["name"])}`;
  const refusal = message["refusal"];
  const blocks = readParts(label, message["content"], tokenizer);
  return typeof refusal === "string" ? [...blocks, textBlock(label, refusal, tokenizer)] : blocks;
}

function callBlock(call: JsonObject, tokenizer: Tokenizer): PromptBlock {
  const called = call["function"] ?? call["custom"];
  return textBlock(`call ${asText(call["id"])}`, JSON.stringify(called), tokenizer);
}

function speakerOf(speaker: string): PromptEntry["speaker"] {
  if (speaker === "system" || speaker === "developer") return "instructions";
  if (speaker === "tool" || speaker === "function") return "tool";
  return speaker === "assistant" ? "assistant" : "user";
}

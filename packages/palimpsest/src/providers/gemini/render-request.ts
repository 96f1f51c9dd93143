import type { Content, GenerateContentConfig, Part } from "@google/genai";
import type { ToolDefinition } from "../../log/payload.ts";
import { asList } from "../../schema/json-fields.ts";
import { toModelId } from "../models.ts";
import type { RequestParts } from "../provider.ts";
import { rememberTools } from "../remember.ts";
import type { GeminiMessage, GeminiRequest } from "./wire.ts";

/** The service accepts this in the place of a signature, for calls that another model made. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Renders calls. This form has no cache marks: the service caches prefixes by itself. */
export function createRequestRenderer(): (parts: RequestParts<GeminiMessage>) => GeminiRequest {
  const declarationsOf = rememberTools(renderTool);
  return ({ model, system, tools, parameters, messages, maxTokens }) => {
    const functionDeclarations = declarationsOf(tools, {});
    const own = asList(parameters["tools"]) ?? [];
    const rendered = functionDeclarations.length === 0 ? own : [{ functionDeclarations }, ...own];
    // The session sets these itself.
    const { tools: _, maxOutputTokens: __, systemInstruction: ___, ...rest } = parameters;
    const config = {
      ...rest,
      maxOutputTokens: Math.max(1, maxTokens),
      ...(system === "" ? {} : { systemInstruction: system }),
      ...(rendered.length === 0 ? {} : { tools: rendered }),
    };
    const id = toModelId(model);
    return { model: id, contents: completeContents(messages, id), config: config as GenerateContentConfig };
  };
}

function renderTool({ name, description, inputSchema }: ToolDefinition): object {
  const parametersJsonSchema = { type: "object", ...inputSchema };
  return { name, ...(description === undefined ? {} : { description }), parametersJsonSchema };
}

/**
 * Adds what a message alone does not know: responses name the functions that they answer, and the first call of a step has a
 * signature, which models from Gemini 3 on require. Earlier turns get it, too: a prompt must not change when a turn ends.
 */
function completeContents(contents: readonly Content[], model: string): Content[] {
  const names = new Map<string, string>();
  const needsSignature = !/gemini-[12]/.test(model);
  return contents.map((content) => {
    const { parts = [] } = content;
    for (const { functionCall } of parts) if (functionCall?.id) names.set(functionCall.id, functionCall.name ?? "");
    const isPlain = parts.every(({ functionCall, functionResponse }) => !functionCall && !functionResponse);
    if (isPlain) return content;
    const first = needsSignature ? parts.findIndex(({ functionCall }) => functionCall !== undefined) : -1;
    return { ...content, parts: parts.map((part, index) => complete(part, names, index === first)) };
  });
}

function complete(part: Part, names: ReadonlyMap<string, string>, isFirstCall: boolean): Part {
  const { functionResponse } = part;
  if (functionResponse !== undefined) {
    const name = functionResponse.name || names.get(functionResponse.id ?? "") || "unknown";
    return { ...part, functionResponse: { ...functionResponse, name } };
  }
  return isFirstCall && part.thoughtSignature === undefined ? { ...part, thoughtSignature: NO_SIGNATURE } : part;
}

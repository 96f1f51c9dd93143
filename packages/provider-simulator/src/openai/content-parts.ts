import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import { mediaBlock, type PromptBlock, textBlock } from "../prompt.ts";
import { readImage } from "../read-image.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { breakpointOf, checkBreakpoint } from "./caching-options.ts";
import { invalidValue, missingParameter, type Problem } from "./problem.ts";
import { checkShape, invalidType, optional, optionalChoice, required, type Shape, type ShapeOptions } from "./shape.ts";

const breakpoint = { prompt_cache_breakpoint: optional("object", "null") };
const type = required("string");

/** Every kind of content part of both endpoints. */
const PARTS: Readonly<Record<string, Shape>> = {
  input_text: { type, text: required("string"), ...breakpoint },
  input_image: {
    type,
    image_url: optional("string", "null"),
    file_id: optional("string", "null"),
    detail: optionalChoice("low", "high", "auto", "original"),
    ...breakpoint,
  },
  input_file: {
    type,
    file_data: optional("string", "null"),
    file_id: optional("string", "null"),
    file_url: optional("string", "null"),
    filename: optional("string", "null"),
    detail: optionalChoice("auto", "low", "high"),
    ...breakpoint,
  },
  // Assistant parts cannot carry a breakpoint (langchain4j, OpenAiOfficialPromptCacheBreakpoint).
  output_text: {
    type,
    text: required("string"),
    annotations: optional("array", "null"),
    logprobs: optional("array", "null"),
  },
  refusal: { type, refusal: required("string") },
  summary_text: { type, text: required("string") },
  reasoning_text: { type, text: required("string") },
  text: { type, text: required("string"), ...breakpoint },
  image_url: { type, image_url: required("object"), ...breakpoint },
  input_audio: { type, input_audio: required("object"), ...breakpoint },
  file: { type, file: required("object"), ...breakpoint },
};

/** Checks a list of content parts against the kinds that may stand there. */
export function checkParts(
  content: unknown,
  allowed: readonly string[],
  { path, unknownFields = "refused" }: ShapeOptions,
): Problem | undefined {
  for (const [index, part] of asArray(content).entries()) {
    const at = `${path}[${index}]`;
    if (!isObject(part)) return invalidType(at, ["object"], part);
    const kind = part["type"];
    if (kind === undefined) return missingParameter(`${at}.type`);
    // The path ends at the part, not at its type: rust-genai#119 shows `input[2].content[0]`.
    if (typeof kind !== "string" || !allowed.includes(kind)) return invalidValue(at, String(kind), allowed);
    const problem =
      checkShape(part, PARTS[kind]!, { path: at, unknownFields }) ?? checkBreakpoint(part, at) ?? checkImage(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** An image that comes with the request, both endpoints' ways; the text as users report it (opencode#20923). */
function checkImage({ type, image_url: image }: JsonObject): Problem | undefined {
  const url = type === "image_url" && isObject(image) ? image["url"] : type === "input_image" ? image : undefined;
  const data = typeof url === "string" ? /^data:image\/[\w.+-]+;base64,(.*)$/s.exec(url)?.[1] : undefined;
  if (data === undefined || readImage(data).kind === "image") return undefined;
  return {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_image",
    param: null,
    message:
      "The image data you provided does not represent a valid image. Please check your input and try again with one of the " +
      "supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
  };
}

/** Content as blocks of the prompt. A plain string and one text part that says the same are the same prompt. */
export function readParts(label: string, content: unknown, tokenizer: Tokenizer): PromptBlock[] {
  if (typeof content === "string") return [textBlock(label, content, tokenizer)];
  return asArray(content).map((part) => {
    if (!isObject(part)) return textBlock(label, "", tokenizer);
    return { ...readPart(label, part, tokenizer), ...breakpointOf(part) };
  });
}

function readPart(label: string, part: JsonObject, tokenizer: Tokenizer): PromptBlock {
  const { prompt_cache_breakpoint: _, ...content } = part;
  switch (part["type"]) {
    case "input_image":
    case "image_url":
      return mediaBlock(`${label} image`, content, tokenizer.imageTokens);
    case "input_file":
    case "file":
    case "input_audio":
      return mediaBlock(`${label} file`, content, tokenizer.documentTokens);
    default:
      return textBlock(label, textOf(part), tokenizer);
  }
}

/** The words of some content, images and files left out. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return asArray(content)
    .map((part) => (isObject(part) ? textOf(part) : ""))
    .join("");
}

function textOf(part: JsonObject): string {
  return asText(part["text"]) || asText(part["refusal"]);
}

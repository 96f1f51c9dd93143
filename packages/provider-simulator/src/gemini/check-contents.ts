import { isObject } from "../json.ts";
import { readImage } from "../read-image.ts";
import { isStrictJson } from "../well-formed.ts";
import { invalidArgument, invalidFields, type Problem } from "./problem.ts";
import type { Content, ContentPart, GeminiRequest } from "./request.ts";

/** Checks what is said: contents, roles and parts, then whose turn it is. */
export function checkContents({ contents = [], systemInstruction }: GeminiRequest): Problem | undefined {
  // Text as in many issue threads; that of lone surrogates is ours, as no source shows one.
  if (contents.length === 0) return invalidFields([{ field: "contents", rule: "contents is not specified" }]);
  if (!isStrictJson(contents) || !isStrictJson(systemInstruction ?? null)) {
    return invalidArgument("Invalid JSON payload received. Invalid Unicode escape sequence.");
  }
  const violations = contents.flatMap((content, index) => violationsOf(content, `contents[${index}]`));
  if (violations.length > 0) return invalidFields(violations);
  const role = contents.find(({ role: each }) => each !== undefined && each !== "user" && each !== "model");
  // From memory.
  if (role !== undefined) return invalidArgument("Please use a valid role: user, model.");
  return contents.flatMap(partsOf).map(checkPart).find(Boolean) ?? checkTurns(contents);
}

export function partsOf({ parts = [] }: Content): readonly ContentPart[] {
  return parts;
}

/** The kinds of data, of which a part has one. */
const DATA = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"],
  ...["toolCall", "toolResponse"],
];

/** chatwise-releases#250 (no parts), sketch#68 (no data). The third is from memory. */
function violationsOf(content: Content, path: string): { field: string; rule: string }[] {
  const parts = partsOf(content);
  if (parts.length === 0) return [{ field: `${path}.parts`, rule: "contents.parts must not be empty." }];
  return parts.flatMap((part, index) => {
    const at = `${path}.parts[${index}]`;
    if (!DATA.some((name) => part[name] !== undefined)) {
      return [{ field: `${at}.data`, rule: "required oneof field 'data' must have one initialized field" }];
    }
    const [kind, called] =
      part.functionCall === undefined
        ? ["function_response", part.functionResponse]
        : ["function_call", part.functionCall];
    if (called === undefined || (called.name ?? "") !== "") return [];
    return [{ field: `${at}.${kind}.name`, rule: "Name cannot be empty." }];
  });
}

/** obsidian-smart-composer#218. A part that brings a signature may be without words: such parts come in streams. */
function checkPart({ text, thoughtSignature, inlineData }: ContentPart): Problem | undefined {
  if (text === "" && thoughtSignature === undefined) {
    return invalidArgument(
      "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again. Learn " +
        "more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
    );
  }
  if (!isObject(inlineData) || !String(inlineData["mimeType"]).startsWith("image/")) return undefined;
  const isImage = readImage(String(inlineData["data"])).kind === "image";
  // From memory.
  return isImage
    ? undefined
    : invalidArgument(
        "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
      );
}

/**
 * Calls follow the user, and each content with calls is followed by one with as many responses (vscode#299295, gemini-cli#11814,
 * lobehub#7298). Words of the user may stand beside the responses. That the end of a conversation counts as a missing response is assumed.
 */
function checkTurns(contents: readonly Content[]): Problem | undefined {
  let open = 0;
  for (const [index, content] of contents.entries()) {
    const calls = partsOf(content).filter(({ functionCall }) => functionCall !== undefined).length;
    const responses = partsOf(content).filter(({ functionResponse }) => functionResponse !== undefined).length;
    if (open > 0 && responses !== open) return UNEQUAL;
    if (open === 0 && responses > 0) return RESPONSE_ALONE;
    if (calls > 0 && (index === 0 || contents[index - 1]?.role === "model")) return CALL_ALONE;
    open = calls;
  }
  return open > 0 ? UNEQUAL : undefined;
}

const UNEQUAL = invalidArgument(
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
);
const CALL_ALONE = invalidArgument(
  "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
);
const RESPONSE_ALONE = invalidArgument(
  "Please ensure that function response turn comes immediately after a function call turn.",
);

import { asArray, isObject, type JsonObject } from "../json.ts";
import { invalidArgument, type Problem, unreadable } from "./problem.ts";
import {
  ANY,
  FLAG,
  INTEGER,
  list,
  message,
  NUMBER,
  readMessage,
  type Shape,
  TEXT,
  unknownName,
  type Violation,
} from "./read-message.ts";

/** A request whose fields have the right names and types, in one spelling. */
export interface GeminiRequest extends JsonObject {
  readonly contents?: readonly Content[];
  readonly systemInstruction?: Content;
  readonly tools?: readonly JsonObject[];
  readonly generationConfig?: JsonObject;
  readonly cachedContent?: string;
}

export interface Content {
  readonly role?: string;
  readonly parts?: readonly ContentPart[];
}

export interface ContentPart extends JsonObject {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: unknown };
  readonly functionResponse?: { readonly id?: string; readonly name?: string; readonly response?: unknown };
}

// Fields as in the types of @google/genai 2.32 for the Developer API.
const PART: Shape = {
  text: TEXT,
  thought: FLAG,
  thoughtSignature: TEXT,
  inlineData: message({ mimeType: TEXT, data: TEXT }),
  fileData: message({ mimeType: TEXT, fileUri: TEXT }),
  functionCall: message({ id: TEXT, name: TEXT, args: ANY }),
  functionResponse: message({
    id: TEXT,
    name: TEXT,
    response: ANY,
    parts: ANY,
    scheduling: TEXT,
    willContinue: FLAG,
  }),
  executableCode: ANY,
  codeExecutionResult: ANY,
  toolCall: ANY,
  toolResponse: ANY,
  videoMetadata: ANY,
  mediaResolution: ANY,
  partMetadata: ANY,
};

const CONTENT = message({ role: TEXT, parts: list(message(PART)) });

const DECLARATION: Shape = {
  name: TEXT,
  description: TEXT,
  parameters: ANY,
  parametersJsonSchema: ANY,
  response: ANY,
  responseJsonSchema: ANY,
  behavior: TEXT,
};

const TOOL: Shape = {
  functionDeclarations: list(message(DECLARATION)),
  googleSearch: ANY,
  googleSearchRetrieval: ANY,
  googleMaps: ANY,
  codeExecution: ANY,
  computerUse: ANY,
  urlContext: ANY,
  fileSearch: ANY,
  mcpServers: ANY,
};

const CONFIG: Shape = {
  temperature: NUMBER,
  topP: NUMBER,
  topK: NUMBER,
  candidateCount: INTEGER,
  maxOutputTokens: INTEGER,
  stopSequences: list(TEXT),
  responseMimeType: TEXT,
  responseSchema: ANY,
  responseJsonSchema: ANY,
  responseModalities: list(TEXT),
  presencePenalty: NUMBER,
  frequencyPenalty: NUMBER,
  seed: INTEGER,
  responseLogprobs: FLAG,
  logprobs: INTEGER,
  speechConfig: ANY,
  thinkingConfig: message({ includeThoughts: FLAG, thinkingBudget: INTEGER, thinkingLevel: TEXT }),
  mediaResolution: TEXT,
  imageConfig: ANY,
  enableEnhancedCivicAnswers: FLAG,
};

const REQUEST: Shape = {
  model: TEXT,
  contents: list(CONTENT),
  systemInstruction: CONTENT,
  tools: list(message(TOOL)),
  toolConfig: message({
    functionCallingConfig: message({
      mode: TEXT,
      allowedFunctionNames: list(TEXT),
      streamFunctionCallArguments: FLAG,
    }),
    retrievalConfig: ANY,
    includeServerSideToolInvocations: FLAG,
  }),
  safetySettings: ANY,
  generationConfig: message(CONFIG),
  cachedContent: TEXT,
  serviceTier: TEXT,
  store: FLAG,
  continuationToken: TEXT,
};

/** Reads a body, or says what is wrong with its names and types. All such faults are listed at once. */
export function readRequest(body: unknown): { readonly kind: "read"; readonly request: GeminiRequest } | Problem {
  if (!isObject(body)) return invalidArgument("Invalid JSON payload received. Unexpected token.");
  const found: Violation[] = [];
  const request = readMessage(body, REQUEST, "", found) as GeminiRequest;
  for (const [index, tool] of asArray(request.tools).entries()) {
    for (const [place, declaration] of asArray((tool as JsonObject)["functionDeclarations"]).entries()) {
      const path = `tools[${index}].function_declarations[${place}].parameters`;
      checkSchema((declaration as JsonObject)["parameters"], path, found);
    }
  }
  return found.length === 0 ? { kind: "read", request } : unreadable(found);
}

/** `parameters` is the service's own kind of schema; `parametersJsonSchema` takes any. Names from the types of the client. */
const SCHEMA_FIELDS: readonly string[] = [
  ...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties"],
  ...["required", "minProperties", "maxProperties", "minimum", "maximum", "minLength", "maxLength", "pattern"],
  ...["example", "anyOf", "propertyOrdering", "default"],
];

/** zed#44875 has `const`, obsidian-smart-composer#455 `additionalProperties`, both with these paths. */
function checkSchema(schema: unknown, path: string, found: Violation[]): void {
  if (!isObject(schema)) return;
  for (const name of Object.keys(schema)) {
    const known = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!SCHEMA_FIELDS.includes(known)) found.push(unknownName(name, path));
  }
  const properties = isObject(schema["properties"]) ? Object.values(schema["properties"]) : [];
  for (const [index, property] of properties.entries())
    checkSchema(property, `${path}.properties[${index}].value`, found);
  checkSchema(schema["items"], `${path}.items`, found);
  for (const [index, variant] of asArray(schema["anyOf"]).entries())
    checkSchema(variant, `${path}.any_of[${index}]`, found);
}

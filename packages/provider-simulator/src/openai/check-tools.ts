import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import { invalidRequest, invalidValue, missingParameter, type Problem } from "./problem.ts";
import { checkShape, invalidType, optional, optionalChoice, required, requiredChoice, type Shape } from "./shape.ts";

// Names: "string does not match pattern" is answered for both endpoints; 64 characters are the documented limit.
const NAME_PATTERN = "^[a-zA-Z0-9_-]+$";
const name = { ...required("string"), pattern: NAME_PATTERN, maxLength: 64 };

const RESPONSES_FUNCTION: Shape = {
  type: requiredChoice("function"),
  name,
  description: optional("string", "null"),
  parameters: optional("object", "null"),
  strict: optional("boolean", "null"),
  allowed_callers: optional("array", "null"),
  async: optional("boolean"),
  defer_loading: optional("boolean"),
  output_schema: optional("object", "null"),
};

const TOOL_SEARCH: Shape = {
  type: requiredChoice("tool_search"),
  execution: optionalChoice("server", "client"),
  description: optional("string", "null"),
  parameters: optional("object", "null"),
};

const CHAT_FUNCTION: Shape = {
  name,
  description: optional("string", "null"),
  parameters: optional("object", "null"),
  strict: optional("boolean", "null"),
};

/** Tools that the service runs itself or that are called with free text; their settings are not looked at here. */
const OTHER_RESPONSES_TOOLS = [
  "file_search",
  "web_search",
  "web_search_preview",
  "computer",
  "computer_use_preview",
  "mcp",
  "code_interpreter",
  "programmatic_tool_calling",
  "image_generation",
  "local_shell",
  "shell",
  "custom",
  "namespace",
  "apply_patch",
];

/** Tools as Responses takes them: the function's fields beside its type. */
export function checkResponsesTools(tools: unknown, place = "tools"): Problem | undefined {
  for (const [index, tool] of asArray(tools).entries()) {
    const path = `${place}[${index}]`;
    if (!isObject(tool)) return invalidType(path, ["object"], tool);
    if (tool["type"] === undefined) return missingParameter(`${path}.type`);
    if (tool["type"] === "tool_search") {
      const wrong = checkShape(tool, TOOL_SEARCH, { path });
      if (wrong !== undefined) return wrong;
      continue;
    }
    if (tool["type"] !== "function") {
      if (OTHER_RESPONSES_TOOLS.includes(asText(tool["type"]))) continue;
      return invalidValue(`${path}.type`, String(tool["type"]), ["function", "tool_search", ...OTHER_RESPONSES_TOOLS]);
    }
    const problem = checkShape(tool, RESPONSES_FUNCTION, { path }) ?? checkSchema(tool, `${path}.parameters`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Tools as Chat Completions takes them: the function's fields one level down. */
export function checkChatTools(tools: unknown, unknownFields: "refused" | "ignored"): Problem | undefined {
  for (const [index, tool] of asArray(tools).entries()) {
    const path = `tools[${index}]`;
    if (!isObject(tool)) return invalidType(path, ["object"], tool);
    if (tool["type"] === "custom" && isObject(tool["custom"])) continue;
    const shape: Shape = { type: requiredChoice("function", "custom"), function: required("object") };
    const problem = checkShape(tool, shape, { path, unknownFields });
    if (problem !== undefined) return problem;
    const definition = tool["function"] as JsonObject;
    const inner =
      unknownFields === "ignored"
        ? checkShape(definition, { name: required("string") }, { path: `${path}.function`, unknownFields })
        : (checkShape(definition, CHAT_FUNCTION, { path: `${path}.function` }) ??
          checkSchema(definition, `${path}.function.parameters`));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** How the tools of a request are searched: by the service, by the caller, or not at all. */
export function toolSearchOf(tools: unknown): "server" | "client" | "none" {
  const search = asArray(tools).find((tool) => isObject(tool) && tool["type"] === "tool_search");
  if (!isObject(search)) return "none";
  return search["execution"] === "client" ? "client" : "server";
}

export function toolNames(tools: unknown): string[] {
  return asArray(tools).flatMap((tool) => {
    if (!isObject(tool)) return [];
    const holder = isObject(tool["function"]) ? tool["function"] : tool;
    return typeof holder["name"] === "string" ? [holder["name"]] : [];
  });
}

/** Only the outermost level of the schema: that is where every caller trips first. */
function checkSchema(definition: JsonObject, path: string): Problem | undefined {
  const parameters = definition["parameters"];
  if (!isObject(parameters)) return undefined;
  const refuse = (reason: string): Problem =>
    invalidRequest(`Invalid schema for function '${asText(definition["name"])}': ${reason}`, {
      param: path,
      code: "invalid_function_parameters",
    });
  if (parameters["type"] !== "object") {
    const got = parameters["type"] === undefined ? "None" : String(parameters["type"]);
    return refuse(`schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`);
  }
  if (definition["strict"] !== true) return undefined;
  if (parameters["additionalProperties"] !== false) {
    return refuse("In context=(), 'additionalProperties' is required to be supplied and to be false.");
  }
  const demanded = asArray(parameters["required"]);
  const forgotten = Object.keys(isObject(parameters["properties"]) ? parameters["properties"] : {}).find(
    (property) => !demanded.includes(property),
  );
  if (forgotten === undefined) return undefined;
  return refuse(
    `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${forgotten}'.`,
  );
}

import { asArray, isObject, type JsonObject } from "../json.ts";
import type { GeminiModel } from "./models.ts";
import { invalidArgument, invalidFields, type Problem } from "./problem.ts";
import type { GeminiRequest } from "./request.ts";

/** Checks tools and settings, as far as they depend on the model or on each other. */
export function checkSettings(request: GeminiRequest, model: GeminiModel): Problem | undefined {
  return (
    checkTools(declarationsOf(request)) ??
    checkOutputLimit(request, model) ??
    checkThinking(request.generationConfig?.["thinkingConfig"], model) ??
    checkCachedContent(request)
  );
}

/** The functions of all tools, with their place in the request. */
export function declarationsOf({
  tools = [],
}: GeminiRequest): readonly { readonly at: string; readonly name: string }[] {
  return tools.flatMap((tool, index) =>
    asArray(tool["functionDeclarations"]).map((declaration, place) => {
      const name = isObject(declaration) ? String(declaration["name"] ?? "") : "";
      return { at: `tools[${index}].function_declarations[${place}].name`, name };
    }),
  );
}

/** Both texts as in many issue threads. */
function checkTools(declarations: ReturnType<typeof declarationsOf>): Problem | undefined {
  const rule =
    "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), " +
    "dots (.), colons (:), or dashes (-), with a maximum length of 64.";
  const wrong = declarations.filter(({ name }) => !/^[a-zA-Z_][\w.:-]{0,63}$/.test(name));
  if (wrong.length > 0) return invalidFields(wrong.map(({ at: field }) => ({ field, rule })));
  const names = declarations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : invalidArgument(`Duplicate function declaration found: ${twice}`);
}

function checkOutputLimit({ generationConfig }: GeminiRequest, model: GeminiModel): Problem | undefined {
  const limit = generationConfig?.["maxOutputTokens"];
  const most = outputLimitOf(model);
  if (typeof limit !== "number" || (limit >= 1 && limit <= most)) return undefined;
  return invalidArgument(
    `Unable to submit request because it has a maxOutputTokens value of ${limit} but the supported range is from 1 (inclusive) ` +
      `to ${most + 1} (exclusive). Update the value and try again.`,
  );
}

/** Where input and output share the window, more may be asked for than one response holds. */
function outputLimitOf({ window, maxInputTokens, maxOutputTokens }: GeminiModel): number {
  return window === "shared" ? Math.max(maxInputTokens, maxOutputTokens) : maxOutputTokens;
}

/** The first text is from memory. The second is ours: litellm's discussion 46238 says that Argon has no budget, not with what words. */
function checkThinking(config: unknown, { thinkingBudget }: GeminiModel): Problem | undefined {
  const { thinkingBudget: budget, thinkingLevel: level } = isObject(config) ? config : ({} as JsonObject);
  if (budget !== undefined && level !== undefined) {
    return invalidArgument("You can only set only one of thinking budget and thinking level.");
  }
  return budget === undefined || thinkingBudget === "accepted"
    ? undefined
    : invalidArgument("Thinking budget is not supported for this model. Use thinking level instead.");
}

/** No cached content can be made here, so none is found. From memory. */
function checkCachedContent({ cachedContent }: GeminiRequest): Problem | undefined {
  if (cachedContent === undefined) return undefined;
  return { code: 403, status: "PERMISSION_DENIED", message: "CachedContent not found (or permission denied)" };
}

import { invalid, type Problem } from "../problem.ts";
import { BETAS, type CallOptions, hasBeta } from "../request.ts";
import { checkCacheControl, checkExtraFields, isRecord, type JsonRecord } from "./shape.ts";

const CUSTOM_FIELDS = new Set([
  ...["name", "type", "description", "input_schema", "cache_control", "defer_loading", "eager_input_streaming"],
  ...["input_examples", "strict", "allowed_callers"],
]);

/** Tool definitions: ours are known field by field, the provider's own only by their names. */
export function checkTools(tools: unknown, call: CallOptions): Problem | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return invalid("tools: Input should be a valid list");
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (!isRecord(tool)) return invalid(`tools.${index}: Input should be a valid dictionary`);
    // The tools of a server have their names there; which they are is not known here.
    const isToolset = tool["type"] === "mcp_toolset" && hasBeta(call, ...BETAS.mcp);
    const problem = isToolset ? checkToolset(tool, `tools.${index}`) : checkTool(tool, `tools.${index}`);
    if (problem !== undefined) return problem;
    if (isToolset) continue;
    const name = tool["name"] as string;
    if (names.has(name)) return invalid("tools: Tool names must be unique.");
    names.add(name);
  }
  return checkDeferral(tools as readonly JsonRecord[]);
}

/** Deferred tools are not in the prompt: no mark can stand on one, and something must be able to find them. */
function checkDeferral(tools: readonly JsonRecord[]): Problem | undefined {
  const deferred = tools.filter((tool) => tool["defer_loading"] === true);
  const marked = deferred.find((tool) => tool["cache_control"] != null);
  if (marked !== undefined) {
    // router-for-me/CLIProxyAPI#4561, Wei-Shaw/sub2api#4990.
    return invalid(
      `Tool '${String(marked["name"])}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.`,
    );
  }
  // The rule is in the guide; its words were not seen.
  const all = deferred.length > 0 && deferred.length === tools.length;
  return all ? invalid("tools: At least one tool must not have defer_loading set.") : undefined;
}

function checkTool(tool: JsonRecord, place: string): Problem | undefined {
  const { type = null, name, input_schema: schema } = tool;
  if (type !== null && typeof type !== "string") return invalid(`${place}.type: Input should be a valid string`);
  const custom = type === null || type === "custom";
  const path = custom ? `${place}.custom` : place;
  if (typeof name !== "string") return invalid(`${path}.name: Field required`);
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
    return invalid(`${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (custom) {
    if (!isRecord(schema)) return invalid(`${path}.input_schema: Field required`);
    if (schema["type"] !== "object") return invalid(`${path}.input_schema.type: Input should be 'object'`);
    const extra = checkExtraFields(tool, CUSTOM_FIELDS, () => path);
    if (extra !== undefined) return extra;
  }
  return checkCacheControl(tool["cache_control"], () => path);
}

function checkToolset(tool: JsonRecord, place: string): Problem | undefined {
  if (typeof tool["mcp_server_name"] !== "string") return invalid(`${place}.mcp_server_name: Field required`);
  return checkCacheControl(tool["cache_control"], () => place);
}

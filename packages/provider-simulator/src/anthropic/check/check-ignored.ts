import { invalid, type Problem } from "../problem.ts";
import { checkExtraFields, isPresent, isRecord, type JsonRecord } from "./shape.ts";

const SERVER_FIELDS = new Set(["name", "type", "url", "authorization_token", "tool_configuration"]);
const FALLBACK_FIELDS = new Set(["model", "max_tokens", "output_config", "speed", "thinking"]);

/** The shape of what the service takes and the simulator does nothing with, field by field as in the client library. */
export function checkIgnored({
  mcp_servers: servers,
  fallbacks,
  output_format: format,
}: JsonRecord): Problem | undefined {
  return checkServers(servers) ?? checkFallbacks(fallbacks) ?? checkFormat(format);
}

function checkServers(servers: unknown): Problem | undefined {
  if (servers === undefined) return undefined;
  if (!Array.isArray(servers)) return invalid("mcp_servers: Input should be a valid list");
  for (const [index, server] of servers.entries()) {
    const path = `mcp_servers.${index}`;
    if (!isRecord(server)) return invalid(`${path}: Input should be a valid dictionary`);
    if (server["type"] !== "url") return invalid(`${path}.type: Input should be 'url'`);
    const missing = ["name", "url"].find((field) => typeof server[field] !== "string");
    if (missing !== undefined) return invalid(`${path}.${missing}: Field required`);
    const extra = checkExtraFields(server, SERVER_FIELDS, () => path);
    if (extra !== undefined) return extra;
  }
  return undefined;
}

/** "default", or models in the order in which they are to be tried: "any other key is rejected at parse time". */
function checkFallbacks(fallbacks: unknown): Problem | undefined {
  if (!isPresent(fallbacks) || fallbacks === "default") return undefined;
  if (!Array.isArray(fallbacks)) return invalid("fallbacks: Input should be a valid list");
  for (const [index, fallback] of fallbacks.entries()) {
    const path = `fallbacks.${index}`;
    if (!isRecord(fallback)) return invalid(`${path}: Input should be a valid dictionary`);
    if (typeof fallback["model"] !== "string") return invalid(`${path}.model: Field required`);
    const extra = checkExtraFields(fallback, FALLBACK_FIELDS, () => path);
    if (extra !== undefined) return extra;
  }
  return undefined;
}

function checkFormat(format: unknown): Problem | undefined {
  if (!isPresent(format)) return undefined;
  if (!isRecord(format)) return invalid("output_format: Input should be a valid dictionary");
  if (format["type"] !== "json_schema") return invalid("output_format.type: Input should be 'json_schema'");
  return isRecord(format["schema"]) ? undefined : invalid("output_format.schema: Field required");
}

import type { ToolDefinition } from "../log/payload.ts";
import { asList } from "../schema/json-fields.ts";
import { frozenCopy } from "./frozen-copy.ts";

/**
 * Renders each list of tools once, for any number of requests. The provider's own tools (search, code execution, ...)
 * from the caller's parameters follow them.
 */
export function rememberTools(
  render: (tool: ToolDefinition) => object,
): (tools: readonly ToolDefinition[], parameters: Readonly<Record<string, unknown>>) => readonly object[] {
  const known = new WeakMap<readonly ToolDefinition[], readonly object[]>();
  return (tools, parameters) => {
    const rendered = known.get(tools) ?? frozenCopy(tools.map(render));
    known.set(tools, rendered);
    const own = asList(parameters["tools"]) ?? [];
    return own.length === 0 ? rendered : [...rendered, ...(own as readonly object[])];
  };
}

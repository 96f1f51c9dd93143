// Renders data once and keeps it, deeply frozen, for all later requests.

import type { ToolDefinition } from "../log/payload.ts";
import { asList } from "../schema/json-fields.ts";

/** Returns a deeply frozen copy of plain data. The original is not changed and not frozen. */
export function frozenCopy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as Value;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    // A model may name a field `__proto__`, and an assignment would set the prototype.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: frozenCopy(field), enumerable: true });
    else copy[name] = frozenCopy(field);
  }
  return Object.freeze(copy) as Value;
}

/**
 * Returns a function that renders each tool list once, for any number of requests. The provider's own tools
 * (search, code execution, ...) from the caller's parameters come after the rendered tools.
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

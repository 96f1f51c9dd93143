// Turns the tools and settings of a framework's call into the configuration of a session.

import type { ToolDefinition } from "../log/payload.ts";
import { asObject, asString, type JsonObject } from "../schema/json-fields.ts";
import type { WantedConfiguration } from "../state/options.ts";

/** The parts of a framework's tool. A tool that the service runs has no schema. */
export interface ToolParts {
  readonly name: unknown;
  readonly description: unknown;
  readonly schema: unknown;
}

/** Turns the tools and settings of a framework's call into the configuration of a session. Settings must not contain secrets. */
export function toConfiguration<Tool>(
  tools: readonly Tool[],
  partsOf: (tool: Tool) => ToolParts | undefined,
  settings: JsonObject,
): Pick<WantedConfiguration, "tools" | "parameters"> {
  const definitions = tools.map((tool) => toDefinition(partsOf(tool)));
  const others = tools.filter((_, index) => definitions[index] === undefined);
  return {
    tools: definitions.filter((definition) => definition !== undefined),
    parameters: {
      ...(Object.keys(settings).length === 0 ? {} : { settings: toPlain(settings) }),
      ...(others.length === 0 ? {} : { tools: others.map(toPlain) }),
    },
  };
}

function toDefinition(parts: ToolParts | undefined): ToolDefinition | undefined {
  const name = asString(parts?.name);
  if (parts === undefined || name === undefined || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return undefined;
  const description = asString(parts.description);
  const inputSchema = (asObject(toPlain(parts.schema)) ?? { type: "object" }) as ToolDefinition["inputSchema"];
  return { name, description, inputSchema };
}

/** Returns the value as JSON preserves it. */
function toPlain(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

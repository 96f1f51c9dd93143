import type { ToolDefinition } from "../log/payload.ts";
import { asObject, asString, type JsonObject } from "../schema/json-fields.ts";
import type { WantedConfiguration } from "../state/options.ts";

/** A tool of a framework in its parts; undefined for one that the service runs, which has no schema. */
export interface ToolParts {
  readonly name: unknown;
  readonly description: unknown;
  readonly schema: unknown;
}

/** What a framework's call sets beside its messages, as the configuration of a session. Settings must not have secrets. */
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
  return { name, ...(description === undefined ? {} : { description }), inputSchema };
}

/** As JSON keeps it. */
function toPlain(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

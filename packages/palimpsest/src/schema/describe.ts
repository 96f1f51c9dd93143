// Describes in words which values a schema accepts, for messages to people.

import type { JsonSchema } from "./schema.ts";

/** Returns the accepted values in words that follow "must be": "a whole number, at least 1". */
export function describeSchema(schema: JsonSchema): string {
  const { type, enum: words, anyOf, items, additionalProperties: values, properties } = schema;
  if (Array.isArray(words)) return `one of ${words.map((word) => JSON.stringify(word)).join(", ")}`;
  if (Array.isArray(anyOf)) return anyOf.map(describeSchema).join(", or ");
  switch (type) {
    case "string":
      return "a text";
    case "boolean":
      return "true or false";
    case "integer":
      return withBounds("a whole number", schema);
    case "number":
      return withBounds("a number", schema);
    case "array":
      return isRecord(items) ? `a list; each of its items must be ${describeSchema(items)}` : "a list";
    case "object":
      if (isRecord(properties)) return `an object with ${Object.keys(properties).join(", ")}`;
      return isRecord(values) ? `an object with ${describeSchema(values)}, for each name` : "an object";
    default:
      return `a value of the schema ${JSON.stringify(schema)}`;
  }
}

function withBounds(noun: string, { exclusiveMinimum: above, minimum: least, maximum: most }: JsonSchema): string {
  const bounds = [
    ...(typeof above === "number" ? [`above ${above}`] : []),
    ...(typeof least === "number" ? [`at least ${least}`] : []),
    // A reader does not need the largest whole number that JavaScript represents exactly.
    ...(typeof most === "number" && most < Number.MAX_SAFE_INTEGER ? [`at most ${most}`] : []),
  ];
  return bounds.length === 0 ? noun : `${noun}, ${bounds.join(" and ")}`;
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

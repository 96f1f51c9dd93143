// Schemas: JSON Schema as a value, with the type of what it describes.

import type { ToolDefinition } from "../log/block.ts";

/** A JSON Schema as an object. */
export type JsonSchema = ToolDefinition["inputSchema"];

declare const VALUE: unique symbol;

/** A JSON Schema with the type of its values. Any JSON Schema is one, for values of an unknown type. */
export type Schema<Value = unknown> = JsonSchema & { readonly [VALUE]?: Value };

/** The type of the values that a schema describes. */
export type Infer<Of> = Of extends { readonly [VALUE]?: infer Value } ? Value : never;

const OPTIONAL: unique symbol = Symbol("optional");

/** A field that may be left out. */
export interface Optional<Value> {
  readonly [OPTIONAL]: Schema<Value>;
}

type Fields = Readonly<Record<string, Schema | Optional<unknown>>>;
type Required<Of extends Fields> = { [Name in keyof Of]: Of[Name] extends Optional<unknown> ? never : Name }[keyof Of];

/** The type of an object with these fields. */
type ObjectOf<Of extends Fields> = Flat<
  { readonly [Name in Required<Of>]: Infer<Of[Name]> } & {
    readonly [Name in Exclude<keyof Of, Required<Of>>]?: Of[Name] extends Optional<infer Value> ? Value : never;
  }
>;
type Flat<Of> = { readonly [Name in keyof Of]: Of[Name] };

/** A string. Its length is counted in code points. */
export function text(
  description?: string,
  bounds: { readonly minLength?: number; readonly maxLength?: number } = {},
): Schema<string> {
  return { type: "string", ...bounds, ...about(description) };
}

/** A whole number. */
export function integer(
  description?: string,
  bounds: { readonly minimum?: number; readonly maximum?: number } = {},
): Schema<number> {
  return { type: "integer", ...bounds, ...about(description) };
}

/** A number. */
export function number(
  description?: string,
  bounds: { readonly minimum?: number; readonly exclusiveMinimum?: number; readonly maximum?: number } = {},
): Schema<number> {
  return { type: "number", ...bounds, ...about(description) };
}

/** True or false. */
export function flag(description?: string): Schema<boolean> {
  return { type: "boolean", ...about(description) };
}

/** One of some strings. */
export function choice<const Word extends string>(words: readonly Word[], description?: string): Schema<Word> {
  return { type: "string", enum: words, ...about(description) };
}

/** A list. */
export function list<Item>(
  items: Schema<Item>,
  description?: string,
  bounds: { readonly minItems?: number } = {},
): Schema<readonly Item[]> {
  return { type: "array", ...about(description), ...bounds, items };
}

/**
 * An object with these fields.
 * @param others whether it may have other fields. @default "refused"
 */
export function object<const Of extends Fields>(
  fields: Of,
  { description, others = "refused" }: { readonly description?: string; readonly others?: "allowed" | "refused" } = {},
): Schema<ObjectOf<Of>> {
  const named = Object.entries(fields);
  return {
    type: "object",
    ...about(description),
    properties: Object.fromEntries(named.map(([name, field]) => [name, isOptional(field) ? field[OPTIONAL] : field])),
    required: named.flatMap(([name, field]) => (isOptional(field) ? [] : [name])),
    ...(others === "allowed" ? {} : { additionalProperties: false }),
  };
}

/** An object with any names, and a value of this schema for each name. */
export function record<Value>(values: Schema<Value>, description?: string): Schema<Readonly<Record<string, Value>>> {
  return { type: "object", ...about(description), additionalProperties: values };
}

/** A value that fits one of some schemas. */
export function union<const Ways extends readonly Schema[]>(ways: Ways): Schema<Infer<Ways[number]>> {
  return { anyOf: ways };
}

/** A field of an object that may be left out. */
export function optional<Value>(schema: Schema<Value>): Optional<Value> {
  return { [OPTIONAL]: schema };
}

/** A schema with the value that applies if there is no other. */
export type WithDefault<Value> = Schema<Value> & { readonly default: Value };

/** Adds the default to a schema: the value that applies if there is no other. */
export function withDefault<Value>(standard: NoInfer<Value>, schema: Schema<Value>): WithDefault<Value> {
  return { ...schema, default: standard };
}

function isOptional(field: Schema | Optional<unknown>): field is Optional<unknown> {
  return OPTIONAL in field;
}

function about(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

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

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A string. */
export function text(description?: string): Schema<string> {
  return { type: "string", ...about(description) };
}

/** A whole number. */
export function integer(description?: string, bounds: Bounds = {}): Schema<number> {
  return { type: "integer", ...bounds, ...about(description) };
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
export function list<Item>(items: Schema<Item>, description?: string): Schema<readonly Item[]> {
  return { type: "array", ...about(description), items };
}

/** An object with these fields and no others. */
export function object<Of extends Fields>(fields: Of): Schema<ObjectOf<Of>> {
  const named = Object.entries(fields);
  return {
    type: "object",
    properties: Object.fromEntries(named.map(([name, field]) => [name, isOptional(field) ? field[OPTIONAL] : field])),
    required: named.flatMap(([name, field]) => (isOptional(field) ? [] : [name])),
    additionalProperties: false,
  };
}

/** A field of an object that may be left out. */
export function optional<Value>(schema: Schema<Value>): Optional<Value> {
  return { [OPTIONAL]: schema };
}

function isOptional(field: Schema | Optional<unknown>): field is Optional<unknown> {
  return OPTIONAL in field;
}

function about(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

// Checks values against JSON Schema, and describes the problems for a model.

import type { JsonSchema } from "./schema.ts";

/** The maximum number of problems in one answer. With a longer list, models correct their input no better. */
const MAX_PROBLEMS = 10;

/**
 * Finds the problems of a value by its JSON Schema. Checks what models get wrong: types, required and unknown fields, choices and
 * bounds. Unknown keywords are skipped, so a reported problem is real, but some problems are not found.
 */
export function findProblems(schema: JsonSchema, value: unknown): readonly string[] {
  return [...problemsOf(schema, value, "")].slice(0, MAX_PROBLEMS);
}

/**
 * Converts what models write in the wrong type: numbers and booleans as strings, and null for a field that may be left out. The
 * result may still have problems.
 */
export function convert(schema: unknown, value: unknown): unknown {
  if (!isRecord(schema)) return value;
  const { items, required = [], properties } = schema;
  if (typeof value === "string") return convertText(typesOf(schema), value);
  if (Array.isArray(value)) return value.map((item) => convert(items, item));
  if (!isRecord(value) || !isRecord(properties)) return value;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    if (!Object.hasOwn(properties, name)) return [[name, field]];
    const isLeftOut = field === null && !(required as readonly unknown[]).includes(name);
    if (isLeftOut && [...problemsOf(properties[name], null, name)].length > 0) return [];
    return [[name, convert(properties[name], field)]];
  });
  return Object.fromEntries(fields);
}

function convertText(types: readonly unknown[], text: string): unknown {
  if (types.includes("string")) return text;
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  const isNumber = types.includes("number") ? /^-?\d+(\.\d+)?$/ : types.includes("integer") ? /^-?\d+$/ : undefined;
  return isNumber?.test(text.trim()) ? Number(text) : text;
}

function typesOf({ type }: JsonSchema): readonly unknown[] {
  return typeof type === "string" ? [type] : Array.isArray(type) ? type : [];
}

function* problemsOf(schema: unknown, value: unknown, path: string): Generator<string> {
  if (schema === false) yield `${at(path)} is not allowed`;
  if (!isRecord(schema)) return;
  const { enum: choices, anyOf, oneOf } = schema;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((one) => isOfType(one, value))) {
    yield `${at(path)} must be of type ${types.join(" or ")}, not ${typeName(value)}`;
    return;
  }
  if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value))) {
    yield `${at(path)} must be one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  }
  if ("const" in schema && !isSame(schema["const"], value)) {
    yield `${at(path)} must be ${JSON.stringify(schema["const"])}`;
  }
  for (const ways of [anyOf, oneOf]) if (Array.isArray(ways)) yield* noneFits(ways, value, path);
  if (Array.isArray(schema["allOf"])) for (const part of schema["allOf"]) yield* problemsOf(part, value, path);
  if (typeof value === "number") {
    yield* outOfBounds(value, { least: schema["minimum"], most: schema["maximum"] }, path);
    const above = schema["exclusiveMinimum"];
    if (typeof above === "number" && value <= above) yield `${at(path)} must be above ${above}, not ${value}`;
  }
  if (typeof value === "string" && ("minLength" in schema || "maxLength" in schema)) {
    const bounds = { least: schema["minLength"], most: schema["maxLength"] };
    yield* outOfBounds(countCharacters(value), bounds, path, "the length of ");
  }
  if (Array.isArray(value)) yield* problemsOfItems(schema, value, path);
  else if (isRecord(value)) yield* problemsOfFields(schema, value, path);
}

function* noneFits(ways: readonly unknown[], value: unknown, path: string): Generator<string> {
  const found = ways.map((way) => [...problemsOf(way, value, path)]);
  if (found.some(({ length }) => length === 0)) return;
  yield `${at(path)} fits none of what is allowed: ${found.map(([first]) => first).join("; or ")}`;
}

function* problemsOfItems(schema: JsonSchema, value: readonly unknown[], path: string): Generator<string> {
  yield* outOfBounds(value.length, { least: schema["minItems"], most: schema["maxItems"] }, path, "the length of ");
  for (const [index, item] of value.entries()) yield* problemsOf(schema["items"], item, `${path}[${index}]`);
}

function* problemsOfFields(schema: JsonSchema, value: JsonSchema, path: string): Generator<string> {
  const { required, additionalProperties: others } = schema;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  if (Array.isArray(required)) {
    for (const name of required) if (!Object.hasOwn(value, name)) yield `${at(join(path, name))} is missing`;
  }
  for (const [name, field] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name);
    if (own) yield* problemsOf(properties[name], field, join(path, name));
    // A pattern may allow the name. Patterns are not checked.
    else if ("patternProperties" in schema) continue;
    else if (others === false)
      yield `${at(join(path, name))} is not known; there is ${Object.keys(properties).join(", ")}`;
    else yield* problemsOf(others, field, join(path, name));
  }
}

/** Counts code points, as JSON Schema does. Makes no list of them, because the text may be a whole image. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

interface Bounds {
  readonly least: unknown;
  readonly most: unknown;
}

function* outOfBounds(size: number, { least, most }: Bounds, path: string, what = ""): Generator<string> {
  if (typeof least === "number" && size < least) yield `${what}${at(path)} must be at least ${least}, not ${size}`;
  if (typeof most === "number" && size > most) yield `${what}${at(path)} must be at most ${most}, not ${size}`;
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "number") return Number.isFinite(value);
  return typeName(value) === type;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  // JSON has no NaN and no infinity.
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
const at = (path: string): string => (path === "" ? "the input" : path);

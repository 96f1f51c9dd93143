import type { JsonObject } from "../json.ts";
import { invalidRequest, invalidValue, missingParameter, type Problem, unknownParameter } from "./problem.ts";

export type JsonKind = "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";

/** What one field may be. */
export interface Field {
  readonly need: "required" | "optional";
  readonly kinds: readonly JsonKind[];
  /** The only strings allowed, where the field is an enumeration. */
  readonly choices?: readonly string[];
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** The fields of one object, in the order in which they are checked. */
export type Shape = Readonly<Record<string, Field>>;

export function required(...kinds: JsonKind[]): Field {
  return { need: "required", kinds };
}

export function optional(...kinds: JsonKind[]): Field {
  return { need: "optional", kinds };
}

export function requiredChoice(...choices: string[]): Field {
  return { need: "required", kinds: ["string"], choices };
}

/** An optional enumeration; null stands for "not given", as everywhere in this API. */
export function optionalChoice(...choices: string[]): Field {
  return { need: "optional", kinds: ["string", "null"], choices };
}

export interface ShapeOptions {
  /** Where the object stands, as the service writes it: `input[2]`. Empty for the request itself. */
  readonly path: string;
  /** Compatible servers ignore what they do not know. @default "refused" */
  readonly unknownFields?: "refused" | "ignored";
}

/** The first field that breaks the shape, in the service's words. */
export function checkShape(value: JsonObject, shape: Shape, options: ShapeOptions): Problem | undefined {
  const { path, unknownFields = "refused" } = options;
  for (const name in shape) {
    const problem = checkField(value[name], shape[name]!, path === "" ? name : `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  if (unknownFields === "ignored") return undefined;
  for (const name in value) {
    if (!Object.hasOwn(shape, name) && value[name] !== undefined) {
      return unknownParameter(path === "" ? name : `${path}.${name}`);
    }
  }
  return undefined;
}

function checkField(value: unknown, field: Field, path: string): Problem | undefined {
  if (value === undefined) return field.need === "required" ? missingParameter(path) : undefined;
  if (!field.kinds.some((kind) => isKind(value, kind))) return invalidType(path, field.kinds, value);
  if (typeof value !== "string") return undefined;
  if (field.choices !== undefined && !field.choices.includes(value)) return invalidValue(path, value, field.choices);
  if (field.maxLength !== undefined && value.length > field.maxLength) {
    const message = `Invalid '${path}': string too long. Expected a string with maximum length ${field.maxLength}, but got a string with length ${value.length} instead.`;
    return invalidRequest(message, { param: path, code: "string_above_max_length" });
  }
  if (field.pattern !== undefined && !new RegExp(field.pattern).test(value)) {
    const message = `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${field.pattern}'.`;
    return invalidRequest(message, { param: path, code: "invalid_value" });
  }
  return undefined;
}

export function invalidType(path: string, expected: readonly JsonKind[], got: unknown): Problem {
  const wanted = expected.filter((kind) => kind !== "null").map((kind) => EXPECTED[kind]);
  const [first, ...others] = wanted;
  const list =
    others.length === 0 ? first : `one of ${[first, ...others.map((each) => each!.replace(/^an? /, ""))].join(" or ")}`;
  const message = `Invalid type for '${path}': expected ${list}, but got ${nameOf(got)} instead.`;
  return invalidRequest(message, { param: path, code: "invalid_type" });
}

const EXPECTED: Readonly<Record<JsonKind, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a decimal",
  boolean: "a boolean",
  object: "an object",
  array: "an array of objects",
  null: "null",
};

function isKind(value: unknown, kind: JsonKind): boolean {
  switch (kind) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === kind;
  }
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

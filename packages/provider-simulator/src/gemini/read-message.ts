import { isObject, type JsonObject } from "../json.ts";

/** What one field of a message may be. `any`: free JSON, which is passed on as it is. */
export type Field =
  | { readonly kind: "string" | "number" | "integer" | "boolean" | "any" }
  | { readonly kind: "message"; readonly of: Shape }
  | { readonly kind: "list"; readonly of: Field };

/** The fields of a message by their names in JSON. */
export type Shape = Readonly<Record<string, Field>>;

export interface Violation {
  /** The place, with the names of the fields as the service writes them: `contents[0].parts[1].function_call`. */
  readonly field: string;
  readonly description: string;
}

export const TEXT: Field = { kind: "string" };
export const NUMBER: Field = { kind: "number" };
export const INTEGER: Field = { kind: "integer" };
export const FLAG: Field = { kind: "boolean" };
export const ANY: Field = { kind: "any" };

export function message(of: Shape): Field {
  return { kind: "message", of };
}

export function list(of: Field): Field {
  return { kind: "list", of };
}

/**
 * Reads JSON as the service's own parser does: names in both spellings (`systemInstruction`, `system_instruction`), one object where a
 * list may stand, and no field that the message does not have. Returns the message in the first spelling.
 */
export function readMessage(value: JsonObject, shape: Shape, path: string, found: Violation[]): JsonObject {
  const read: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    const known = toCamelCase(name);
    const field = Object.hasOwn(shape, known) ? shape[known] : undefined;
    if (field === undefined) found.push(unknownName(name, path));
    else if (given !== null && given !== undefined) read[known] = readField(given, field, within(path, known), found);
  }
  return read;
}

function readField(value: unknown, field: Field, path: string, found: Violation[]): unknown {
  if (field.kind === "list") {
    const items = Array.isArray(value) ? value : [value];
    return items.map((item, index) => readField(item, field.of, `${path}[${index}]`, found));
  }
  if (field.kind === "any") return value;
  if (field.kind === "message") {
    if (isObject(value)) return readMessage(value, field.of, path, found);
    found.push(Array.isArray(value) ? notRepeating(path) : invalidValue(path, "TYPE_MESSAGE", value));
    return {};
  }
  const type = field.kind === "integer" ? "number" : field.kind;
  const isRight = typeof value === type && (field.kind !== "integer" || Number.isInteger(value));
  if (!isRight) found.push(Array.isArray(value) ? notRepeating(path) : invalidValue(path, TYPES[field.kind], value));
  return value;
}

const TYPES = { string: "TYPE_STRING", number: "TYPE_FLOAT", integer: "TYPE_INT32", boolean: "TYPE_BOOL" } as const;

/** gemini-cli#13972. Nothing is said of the place in the request itself. */
export function unknownName(name: string, path: string): Violation {
  const place = path === "" ? "" : ` at '${path}'`;
  return {
    field: path,
    description: `Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`,
  };
}

/** From memory. */
function invalidValue(path: string, type: string, value: unknown): Violation {
  return { field: path, description: `Invalid value at '${path}' (${type}), ${JSON.stringify(value)}` };
}

/** zed#53919. */
function notRepeating(path: string): Violation {
  const [, name = path] = /([^.]+)$/.exec(path) ?? [];
  const place = path.includes(".") ? ` at '${path.slice(0, path.lastIndexOf("."))}'` : "";
  return {
    field: path,
    description: `Invalid JSON payload received. Unknown name "${name}"${place}: Proto field is not repeating, cannot start list.`,
  };
}

function within(path: string, name: string): string {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return path === "" ? snake : `${path}.${snake}`;
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

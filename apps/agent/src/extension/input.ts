/** One field of a tool's input: its JSON Schema, and a function that reads its value. */
export interface Field<Value> {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly presence: "required" | "optional";
  /** Throws an InputError that names the place. */
  read(value: unknown, place: string): Value;
}

export type InputShape = Readonly<Record<string, Field<unknown>>>;
export type Fields<Shape extends InputShape> = { readonly [Name in keyof Shape]: ReturnType<Shape[Name]["read"]> };

/** An input that does not match the schema. The message is for the model. */
export class InputError extends Error {}

export function text(description: string): Field<string> {
  return field({ type: "string", description }, (value, place) => {
    if (typeof value !== "string") throw new InputError(`${place} must be a string, not ${typeName(value)}.`);
    return value;
  });
}

export function integer(description: string, minimum: number): Field<number> {
  return field({ type: "integer", minimum, description }, (value, place) => {
    // Models sometimes write numbers as strings.
    const number = typeof value === "string" && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
    if (typeof number !== "number" || !Number.isSafeInteger(number) || number < minimum) {
      throw new InputError(`${place} must be a whole number from ${minimum} on, not ${JSON.stringify(value)}.`);
    }
    return number;
  });
}

export function flag(description: string): Field<boolean> {
  return field({ type: "boolean", description }, (value, place) => {
    if (value === "true" || value === "false") return value === "true";
    if (typeof value !== "boolean") throw new InputError(`${place} must be true or false, not ${typeName(value)}.`);
    return value;
  });
}

export function choice<const Word extends string>(description: string, words: readonly Word[]): Field<Word> {
  return field({ type: "string", enum: words, description }, (value, place) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) {
      throw new InputError(`${place} must be one of ${words.join(", ")}, not ${JSON.stringify(value)}.`);
    }
    return word;
  });
}

export function texts(description: string): Field<readonly string[]> {
  return field({ type: "array", description, items: { type: "string" } }, (value, place) => {
    if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
      throw new InputError(`${place} must be a list of strings, not ${typeName(value)}.`);
    return value;
  });
}

export function list<const Shape extends InputShape>(
  description: string,
  shape: Shape,
): Field<readonly Fields<Shape>[]> {
  return field({ type: "array", description, items: toJsonSchema(shape) }, (value, place) => {
    if (!Array.isArray(value)) throw new InputError(`${place} must be a list, not ${typeName(value)}.`);
    return value.map((item, position) => toValues(shape, item, `${place}[${position}].`));
  });
}

export function optional<Value>({ schema, read }: Field<Value>): Field<Value | undefined> {
  // Some models write null for omitted fields.
  return { schema, presence: "optional", read: (value, place) => (value == null ? undefined : read(value, place)) };
}

export function toJsonSchema(shape: InputShape): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema])),
    required: Object.keys(shape).filter((name) => shape[name]!.presence === "required"),
    additionalProperties: false,
  };
}

/** Reads the fields of a shape. Unknown fields are ignored. */
export function toValues<Shape extends InputShape>(shape: Shape, input: unknown, place = ""): Fields<Shape> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new InputError(`${place === "" ? "the input" : place} must be an object, not ${typeName(input)}.`);
  }
  const given = input as Readonly<Record<string, unknown>>;
  const values = Object.entries(shape).map(([name, { presence, read }]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && presence === "required") throw new InputError(`${place}${name} is missing.`);
    return [name, read(value, place + name)];
  });
  return Object.fromEntries(values) as Fields<Shape>;
}

function field<Value>(schema: Field<Value>["schema"], read: Field<Value>["read"]): Field<Value> {
  return { schema, presence: "required", read };
}

function typeName(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}

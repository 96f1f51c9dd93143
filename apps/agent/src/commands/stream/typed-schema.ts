/**
 * A JSON schema (draft 7) of the values of one type. A schema compiles only with exactly the fields and words of its
 * type, so the published schema cannot differ from the events.
 */
export interface TypedSchema<Value> {
  readonly json: JsonSchema;
  /** Never set. Distinguishes schemas of different types for the compiler. */
  readonly describes?: (value: Value) => Value;
}

export interface JsonSchema {
  readonly description?: string;
  readonly type?: "string" | "number" | "boolean" | "array" | "object";
  readonly const?: string | number;
  readonly enum?: readonly string[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
}

interface OptionalField<Value> extends TypedSchema<Value> {
  readonly presence: "optional";
}

/** A schema of any type. */
type AnySchema = Pick<TypedSchema<unknown>, "json">;

/** A schema for every field. Fields that may be absent use `optional`. */
export type FieldsOf<Value> = {
  readonly [Name in keyof Value]-?: Record<never, never> extends Pick<Value, Name>
    ? OptionalField<Exclude<Value[Name], undefined>>
    : TypedSchema<Value[Name]>;
};

/** A schema for every kind, without the field `kind`. */
export type KindsOf<Value extends { readonly kind: string }, Shared = Record<never, never>> = {
  readonly [Kind in Value["kind"]]: KindSchema<Omit<Extract<Value, { readonly kind: Kind }>, "kind" | keyof Shared>>;
};

interface KindSchema<Value> {
  readonly about: string;
  readonly fields: FieldsOf<Value>;
}

export function text(about?: string): TypedSchema<string> {
  return { json: { type: "string", ...described(about) } };
}

export function number(about?: string): TypedSchema<number> {
  return { json: { type: "number", ...described(about) } };
}

export function flag(about?: string): TypedSchema<boolean> {
  return { json: { type: "boolean", ...described(about) } };
}

/** The schema of a string that is one of some words. */
export function word<const Word extends string>(of: readonly Word[], about?: string): TypedSchema<Word> {
  return { json: { type: "string", enum: of, ...described(about) } };
}

export function list<Item>(items: TypedSchema<Item>, about?: string): TypedSchema<readonly Item[]> {
  return { json: { type: "array", items: items.json, ...described(about) } };
}

/** The schema of any value. */
export function anything<Value>(about: string): TypedSchema<Value> {
  return { json: { description: about } };
}

export function optional<Value>(schema: TypedSchema<Value>): OptionalField<Value> {
  return { ...schema, presence: "optional" };
}

export function object<Value>(fields: FieldsOf<Value>, about?: string): TypedSchema<Value> {
  const named = Object.entries(fields as Readonly<Record<string, AnySchema>>);
  return {
    json: {
      type: "object",
      ...described(about),
      properties: Object.fromEntries(named.map(([name, { json }]) => [name, json])),
      required: named.filter(([, schema]) => !("presence" in schema)).map(([name]) => name),
    },
  };
}

/** The schema of objects that differ in `kind`. @param shared the fields that all of them have */
export function byKind<Value extends { readonly kind: string }, Shared = Record<never, never>>(
  kinds: KindsOf<Value, Shared>,
  shared: FieldsOf<Shared>,
): TypedSchema<Value> {
  const ways = Object.entries<KindSchema<Record<never, never>>>(kinds).map(([kind, { about, fields }]) => {
    const all = { kind: { json: { const: kind } }, ...fields, ...shared };
    return object<{ readonly kind: unknown }>(all, about).json;
  });
  return { json: { anyOf: ways } };
}

function described(about: string | undefined): Pick<JsonSchema, "description"> {
  return about === undefined ? {} : { description: about };
}

/** JSON Schema, as far as requests and replies of the API need it. It stands in the OpenAPI document as it is. */
export type Schema = Readonly<Record<string, unknown>>;

/** The type of the values that a schema describes. Fields that are not required may be absent. */
export type TypeOf<Described> = Described extends { readonly const: infer Value }
  ? Value
  : Described extends { readonly enum: readonly (infer Choice)[] }
    ? Choice
    : Described extends { readonly anyOf: readonly (infer Way)[] }
      ? TypeOf<Way>
      : Described extends { readonly type: "string" }
        ? string
        : Described extends { readonly type: "integer" | "number" }
          ? number
          : Described extends { readonly type: "array"; readonly items: infer Item }
            ? readonly TypeOf<Item>[]
            : Described extends { readonly properties: infer Properties }
              ? FieldsOf<Properties, RequiredOf<Described>>
              : Described extends { readonly type: "object" }
                ? Readonly<Record<string, unknown>>
                : unknown;

type RequiredOf<Described> = Described extends { readonly required: readonly (infer Name)[] } ? Name : never;

type FieldsOf<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: TypeOf<Properties[Name]>;
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?: TypeOf<Properties[Name]>;
};

// Standard Schema: schemas of libraries such as zod.

import { InvalidOptionError } from "../errors.ts";
import type { JsonSchema, Schema } from "./schema.ts";

/** The parts of the Standard Schema and Standard JSON Schema interfaces that the engine uses. zod has both from 4.2 on. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether a schema is one of a library. Other schemas are JSON Schema. */
export function isStandard(schema: Schema | StandardSchema): schema is StandardSchema {
  return "~standard" in schema;
}

/**
 * The JSON Schema of a schema.
 * @param of what the schema describes, for the error of a schema that has no JSON Schema
 */
export function jsonSchemaOf(of: string, schema: Schema | StandardSchema): JsonSchema {
  if (!isStandard(schema)) return schema;
  const { jsonSchema } = schema["~standard"] as Partial<StandardSchema["~standard"]>;
  if (jsonSchema === undefined) {
    throw new InvalidOptionError(of, "a schema", "JSON Schema, or one that gives it (zod from 4.2)");
  }
  const { $schema: _, ...fields } = jsonSchema.input({ target: "draft-2020-12" });
  return fields;
}

/** Checks a value by a schema of a library, which applies its defaults and conversions. Problems are texts for the model. */
export async function readStandard(schema: StandardSchema, value: unknown): Promise<ReadInput> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { kind: "valid", value: result.value };
  return { kind: "invalid", problems: result.issues.map(issueText) };
}

/** A checked input, or its problems. */
export type ReadInput =
  | { readonly kind: "valid"; readonly value: unknown }
  /** The problems, as texts for the model. */
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

function issueText({ message, path = [] }: StandardIssue): string {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

import { InvalidOptionError } from "../log/invalid-option-error.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { findProblems } from "../schema/check.ts";
import type { JsonSchema, StandardIssue, StandardSchema, Tool } from "../schema/tool.ts";

export type ReadInput =
  | { readonly kind: "valid"; readonly value: unknown }
  /** What is wrong with it, for the model. */
  | { readonly kind: "invalid"; readonly problems: readonly string[] };

/** A tool as it stands in the request. */
export function definitionOf({
  name,
  description,
  input,
  results,
  resultSize,
  sideEffects,
  provenance,
  loading,
}: Tool): ToolDefinition {
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(name, input),
    ...(results === undefined ? {} : { results }),
    ...(provenance === undefined ? {} : { provenance }),
    ...(resultSize === undefined ? {} : { resultSize }),
    ...(sideEffects === undefined ? {} : { sideEffects }),
    ...(loading === undefined ? {} : { loading }),
  };
}

/** What the model wrote, as the tool takes it: with defaults and conversions, where its schema has them. */
export async function readInput({ input: schema }: Tool, input: unknown): Promise<ReadInput> {
  if (typeof input === "string") return { kind: "invalid", problems: ["the input is no valid JSON"] };
  if (!isStandard(schema)) {
    const problems = findProblems(schema, input);
    return problems.length === 0 ? { kind: "valid", value: input } : { kind: "invalid", problems };
  }
  const result = await schema["~standard"].validate(input);
  if (result.issues === undefined) return { kind: "valid", value: result.value };
  return { kind: "invalid", problems: result.issues.map(issueText) };
}

function jsonSchemaOf(tool: string, schema: Tool["input"]): JsonSchema {
  if (!isStandard(schema)) return schema;
  const { jsonSchema } = schema["~standard"] as Partial<StandardSchema["~standard"]>;
  if (jsonSchema === undefined) {
    throw new InvalidOptionError(
      `input of tool ${tool}`,
      "a schema",
      "JSON Schema, or one that gives it (zod from 4.2)",
    );
  }
  const { $schema: _, ...fields } = jsonSchema.input({ target: "draft-2020-12" });
  return fields;
}

function isStandard(schema: Tool["input"]): schema is StandardSchema {
  return "~standard" in schema;
}

function issueText({ message, path = [] }: StandardIssue): string {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

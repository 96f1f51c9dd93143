// Tools that the model can call: their definition, their schema for a request, and the check of a call's input.

import type { Part, ToolCall, ToolResult } from "../log/block.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { convert, findProblems } from "./check.ts";
import { aFunction, anObject, aText, checkOptions } from "./check-options.ts";
import type { Schema } from "./schema.ts";
import { isStandard, jsonSchemaOf, type ReadInput, readStandard, type StandardSchema } from "./standard.ts";

/** A tool that the model can call. A host may give its tools more context than the engine does. */
export interface Tool<Input = unknown, Context extends ToolContext = ToolContext>
  extends Pick<ToolDefinition, "name" | "results" | "resultSize" | "sideEffects" | "provenance" | "loading"> {
  readonly description: string;
  /** The schema of the input. The model sees it, and every input is checked against it before the tool runs. */
  readonly inputSchema: Schema<Input> | StandardSchema<Input>;
  /** `safe`: a call may run at the same time as other safe calls, in any order. @default "alone" */
  readonly concurrency?: "safe" | "alone";
  /**
   * The call fails if it takes longer than this; a call that streams, if no chunk arrives for this long.
   * @default `toolTimeoutMs` of the query
   */
  readonly timeoutMs?: number;
  /**
   * Whether to repeat a call that an ended process had begun. `free`: the call changes nothing and runs again. `by-key`: it runs
   * again with the same `key`, by which the service recognizes work that is already done. `never`: it does not run again, and the
   * model learns that the outcome is unknown; the log records the beginning of the call before it runs.
   * @default "free" for a tool with `sideEffects: "none"`, "never" for other tools, because an action that happens twice is worse
   * than an unknown outcome
   */
  readonly repeat?: "free" | "by-key" | "never";
  /** Runs a call. The model sees the message of a thrown error, so say in it what is wrong and what to do. */
  execute(input: Input, context: Context): ToolOutput | Promise<ToolOutput>;
}

/** The context of one call. */
export interface ToolContext {
  /** Aborts if the turn is aborted or the time of the call is over. The turn does not wait for a tool that ignores the signal. */
  readonly signal: AbortSignal;
  readonly call: ToolCall;
  /** The same key each time this call runs, on any machine, and unique to it. For services that must not do the work twice. */
  readonly key: string;
}

/** A tool result. A stream is stored while it arrives, in constant memory. */
export type ToolOutput = string | readonly Part[] | Pick<ToolResult, "content" | "status"> | ToolStream;

/** Tool output as a stream of bytes or text. */
export type ToolStream = AsyncIterable<Uint8Array | string>;

/** Defines a tool. The schema gives `execute` the type of its input. */
export function tool<Input = Readonly<Record<string, unknown>>>(made: Tool<Input>): Tool<Input> {
  checkTool("tool", made);
  return made;
}

/**
 * Throws if a value is not a tool.
 * @param of the name of the function that got the value
 */
export function checkTool(of: string, made: unknown): void {
  checkOptions(of, made, {
    name: aText("a name of letters, digits, _ and -"),
    description: { needed: "a text that tells the model what it does", fits: (value) => typeof value === "string" },
    inputSchema: anObject("JSON Schema, or a schema that gives it (zod from 4.2)"),
    execute: aFunction("a function that takes the input and returns a text or parts"),
  });
}

/** Whether the value is a tool that can run, and not only a description. */
export function isTool(one: Tool | ToolDefinition): one is Tool {
  return "execute" in one;
}

/** Returns whether a call that may have run may be repeated. */
export function repeatOf({ repeat, sideEffects }: Pick<Tool, "repeat" | "sideEffects">): "free" | "by-key" | "never" {
  return repeat ?? (sideEffects === "none" ? "free" : "never");
}

/** Returns the definition of a tool for the request. */
export function definitionOf({
  name,
  description,
  inputSchema,
  results,
  resultSize,
  sideEffects,
  provenance,
  loading,
}: Tool): ToolDefinition {
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(`inputSchema of tool ${name}`, inputSchema),
    results,
    provenance,
    resultSize,
    sideEffects,
    loading,
  };
}

/**
 * Checks the input that the model wrote, and applies the defaults and conversions of the schema. Numbers and booleans that the model
 * wrote as strings are converted.
 */
export async function readInput({ inputSchema: schema }: Tool, input: unknown): Promise<ReadInput> {
  if (typeof input === "string") return { kind: "invalid", problems: ["the input is no valid JSON"] };
  if (isStandard(schema)) return readStandard(schema, input);
  if (findProblems(schema, input).length === 0) return { kind: "valid", value: input };
  const value = convert(schema, input);
  const problems = findProblems(schema, value);
  return problems.length === 0 ? { kind: "valid", value } : { kind: "invalid", problems };
}

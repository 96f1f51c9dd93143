import type { Part, ToolCall, ToolResult } from "../log/block.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { aFunction, anObject, aText, checkOptions } from "./check-options.ts";

/** Something the model can have done. */
export interface Tool<Input = unknown>
  extends Pick<ToolDefinition, "name" | "results" | "resultSize" | "sideEffects" | "provenance" | "loading"> {
  readonly description: string;
  /** What the model is told of its input, and what every input is held against before it is run. */
  readonly input: JsonSchema | StandardSchema<Input>;
  /** `safe`: may run beside other calls that are safe, in any order. @default "alone" */
  readonly concurrency?: "safe" | "alone";
  /**
   * It is given up when it has not answered for so long; one that streams, when no chunk has come for so long.
   * @default `toolTimeoutMs` of the query
   */
  readonly timeoutMs?: number;
  /**
   * What may be done about a call that was begun by a process which is gone. `free`: the call changes nothing, and is run again.
   * `by-key`: it is run again with the same `key`, by which whoever does the work recognizes what is done already. `never`: it is
   * not run again, and the model is told that the outcome is unknown; its beginning is logged before it runs.
   * @default "free" for a tool that says `sideEffects: "none"`, "never" for any other: to do a thing twice is worse than to say that
   * one does not know
   */
  readonly repeat?: "free" | "by-key" | "never";
  /** What it throws is told to the model: say there what is wrong and what can be done. */
  run(input: Input, context: ToolContext): ToolOutput | Promise<ToolOutput>;
}

export interface ToolContext {
  /** Aborts when the turn is aborted and when its time is over. Who does not listen is not waited for. */
  readonly signal: AbortSignal;
  readonly call: ToolCall;
  /** The same whenever and wherever this call is run, and no other call's: for services that must not do a thing twice. */
  readonly key: string;
}

/** A stream is taken in as it comes, in constant memory. */
export type ToolOutput = string | readonly Part[] | Pick<ToolResult, "content" | "status"> | ToolStream;

export type ToolStream = AsyncIterable<Uint8Array | string>;

export type JsonSchema = ToolDefinition["inputSchema"];

/** The part of the Standard Schema and Standard JSON Schema interfaces that is used: zod has both from 4.2 on. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A tool whose `run` knows the type of its input from the schema. */
export function tool<Input>(made: Tool<Input> & { readonly input: StandardSchema<Input> }): Tool<Input>;
export function tool(made: Tool<Readonly<Record<string, unknown>>>): Tool<Readonly<Record<string, unknown>>>;
export function tool<Input>(made: Tool<Input>): Tool<Input> {
  checkTool("tool", made);
  return made;
}

/** What may be done about a call of this tool that may have run. */
export function repeatOf({ repeat, sideEffects }: Pick<Tool, "repeat" | "sideEffects">): "free" | "by-key" | "never" {
  return repeat ?? (sideEffects === "none" ? "free" : "never");
}

/** Whether it can be run, and is not only described. */
export function isTool(one: Tool | ToolDefinition): one is Tool {
  return "run" in one;
}

/** @param of the function that it was passed to */
export function checkTool(of: string, made: unknown): void {
  checkOptions(of, made, {
    name: aText("a name of letters, digits, _ and -"),
    description: { needed: "a text that tells the model what it does", fits: (value) => typeof value === "string" },
    input: anObject("JSON Schema, or a schema that gives it (zod from 4.2)"),
    run: aFunction("a function that takes the input and returns a text or parts"),
  });
}

import { InvalidOptionError } from "../errors.ts";
import type { Part, ToolCall, ToolResult } from "../log/block.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { lazyPattern } from "../log/search-text.ts";
import { findProblems, type JsonSchema } from "./check.ts";
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

/** The part of the Standard Schema and Standard JSON Schema interfaces that is used: zod has both from 4.2 on. */
interface StandardSchema<Output = unknown> {
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

/** What a search asks for. */
export interface ToolsWanted {
  readonly names?: readonly string[];
  /** Words to search for in names and descriptions. */
  readonly query?: string;
}

/** The most tools that words bring in: more would cost what deferring saves. */
const MOST_FOUND = 5;

/** Finds tools by their names, and by words: those that match best come first. */
export function findTools(
  tools: readonly ToolDefinition[],
  { names = [], query = "" }: ToolsWanted,
): readonly ToolDefinition[] {
  const named = new Set(names.map((name) => name.trim().toLowerCase()));
  const words = wordsIn(query);
  // A model may write a name where words are expected.
  for (const { name } of tools) if (words.includes(name.toLowerCase())) named.add(name.toLowerCase());
  const byName = tools.filter(({ name }) => named.has(name.toLowerCase()));
  const parts = words.flatMap((word) => word.split(/[_-]/)).filter((word) => word.length > 1);
  const scored = tools
    .filter((tool) => !byName.includes(tool))
    .map((tool) => ({ tool, score: scoreOf(tool, parts) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score);
  const room = Math.max(0, MOST_FOUND - byName.length);
  return [...byName, ...scored.slice(0, room).map(({ tool }) => tool)];
}

/** A word in the name says most about a tool, one in its description less, and one among its inputs least. */
function scoreOf({ name, description = "", inputSchema }: ToolDefinition, words: readonly string[]): number {
  const inName = new Set(wordsIn(name).flatMap((word) => word.split(/[_-]/)));
  const inDescription = new Set(wordsIn(description));
  const inputs = new Set(wordsIn(Object.keys(inputSchema["properties"] ?? {}).join(" ")));
  return words.reduce((score, word) => {
    if (inName.has(word)) return score + 4;
    if (name.toLowerCase().includes(word)) return score + 3;
    if (inDescription.has(word)) return score + 2;
    return inputs.has(word) ? score + 1 : score;
  }, 0);
}

const wordPattern = lazyPattern(String.raw`[\p{L}\p{N}_-]+`, "gu");

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(wordPattern()) ?? [];
}

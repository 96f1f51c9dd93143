import type { Part, Tool, ToolDefinition } from "palimpsest";
import { sanitizeStream } from "palimpsest/sanitize";
import type { PermittedTool } from "../permissions/permission-call.ts";
import type { AgentSession } from "./open-agent-session.ts";
import type { Person } from "./person.ts";

/** A tool of the agent: its definition for the model, and its function. */
export interface AgentTool extends ToolDefinition, PermittedTool {
  readonly description: string;
  /** `safe`: may run in parallel. `alone`: changes what other tools see. */
  readonly concurrency: "safe" | "alone";
  /** The tool's time limit, if it needs more time than other tools. */
  readonly timeoutMs?: number;
  /**
   * What to do about a call that was open when the process ended: run it again, or tell the model that its outcome is
   * unknown. @default "free" for a tool that only reads, "never" for other tools
   */
  readonly repeat?: NonNullable<Tool["repeat"]>;
  /**
   * Runs the tool. Rejects only if the call was aborted. Any other failure is an outcome that tells the model what to
   * do.
   */
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

/** The context of a tool call: the call, the folder, and a signal that cancels the call. */
export interface ToolContext {
  readonly signal: AbortSignal;
  readonly callId: string;
  /** A key that is the same for every run of this call, for services that must not do the same thing twice. */
  readonly key: string;
  /** The folder of the project, as an absolute path. */
  readonly folder: string;
  /** The number of the session's newest entry. The result of this call gets a higher number. */
  readonly newestEntry: number;
  /** Receives the output of a running command, for the screen. */
  readonly onOutput?: (text: string) => void;
}

/** The result of a tool call. A stream is stored while it arrives. */
export interface ToolOutcome {
  readonly content: string | readonly Part[] | AsyncIterable<Uint8Array | string>;
  readonly status: "ok" | "error";
}

interface ToolSketch<Shape extends InputShape> extends Omit<AgentTool, "inputSchema" | "run"> {
  readonly input: Shape;
  run(input: Fields<Shape>, context: ToolContext): Promise<ToolOutcome>;
}

/**
 * Creates a tool that checks its input before it runs. An exception becomes an outcome, because a failed tool must not
 * end the turn.
 */
export function defineTool<const Shape extends InputShape>({
  input: shape,
  run,
  ...rest
}: ToolSketch<Shape>): AgentTool {
  return {
    ...rest,
    inputSchema: toJsonSchema(shape),
    async run(input, context) {
      context.signal.throwIfAborted();
      try {
        return await run(toValues(shape, input), context);
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof InputError) return failed(`${rest.name}: ${error.message}`);
        return failed(`${rest.name} failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

export function done(content: ToolOutcome["content"]): ToolOutcome {
  return { content, status: "ok" };
}

export function failed(message: string): ToolOutcome {
  return { content: message, status: "error" };
}

/**
 * Converts a tool of the agent for the agent loop. The tool still checks its input, because the loop checks only the
 * schema.
 */
export function toTool(
  tool: AgentTool,
  session: Pick<AgentSession, "history">,
  folder: string,
  onOutput?: Person["onOutput"],
): Tool {
  const {
    name,
    description,
    inputSchema: input,
    concurrency,
    results,
    resultSize,
    sideEffects,
    provenance,
    loading,
    timeoutMs,
    repeat = tool.effect === "read" ? "free" : "never",
  } = tool;
  return {
    name,
    description,
    input,
    concurrency,
    repeat,
    results,
    provenance,
    resultSize,
    sideEffects,
    loading,
    timeoutMs,
    async run(given, { signal, call, key }) {
      const context = {
        signal,
        callId: call.id,
        key,
        folder,
        newestEntry: session.history.newestEntry,
        onOutput: onOutput === undefined ? undefined : (text: string) => onOutput(call.id, text),
      };
      const { content, status } = await tool.run(given, context);
      // The end of a stream says how the command ended.
      return typeof content === "object" && Symbol.asyncIterator in content
        ? sanitizeStream(content)
        : { content, status };
    },
  };
}

/** One field of a tool's input: its JSON Schema, and a function that reads its value. */
interface Field<Value> {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly presence: "required" | "optional";
  /** Reads a value. Throws an InputError that names the place. */
  read(value: unknown, place: string): Value;
}

type InputShape = Readonly<Record<string, Field<unknown>>>;
type Fields<Shape extends InputShape> = { readonly [Name in keyof Shape]: ReturnType<Shape[Name]["read"]> };

/** The error for an input that does not match the schema. Its message is for the model. */
class InputError extends Error {}

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

/** Reads the fields of a shape, and ignores unknown fields. */
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

import type { ProcessInputStepArgs, ProcessInputStepResult, Processor } from "@mastra/core/processors";
import type { Session } from "palimpsest";
import type { CompactionData } from "palimpsest/adapter-parts";
import { asObject, asString } from "palimpsest/schema";
import {
  palimpsest as createMiddleware,
  type PalimpsestOptions as MiddlewareOptions,
} from "../middleware/palimpsest.ts";
import type { AiSdkRequest, AiSdkResponse } from "../provider/wire.ts";
import { type StepModel, wrapModel } from "./wrap-model.ts";

/** Options of the processor. Only the store is required. */
export interface PalimpsestOptions extends MiddlewareOptions {
  /** The name of the session that a step belongs to. @default the thread of Mastra's memory; without one it is recognized by its messages */
  readonly session?: (step: Pick<ProcessInputStepArgs, "requestContext">) => string | undefined;
  /** Whether the agent gets the tool `recall`. Summaries and stubs name it only then. @default "offered" */
  readonly recall?: "offered" | "left-out";
  /** Receives each compaction, for a user interface. @default nobody */
  readonly onCompaction?: (data: CompactionData) => void;
}

/** A processor for `inputProcessors` of an agent, and what belongs to it. */
export interface PalimpsestContext extends Processor<"palimpsest"> {
  processInputStep(step: ProcessInputStepArgs): ProcessInputStepResult;
  /** Sessions that are open in this process: for costs, events and notes. */
  sessions(): readonly Session<AiSdkRequest, AiSdkResponse>[];
  /** Closes all sessions. Before a process ends; the store stays open. */
  close(): Promise<void>;
}

/** Under this name, providers' options have the name of the session, and the request's context has the thread. */
const [OWN, MEMORY] = ["palimpsest", "MastraMemory"];

/**
 * Keeps the conversations of a Mastra agent inside the context window. Memory and messages stay Mastra's: before each step the
 * processor puts sessions behind the step's model, which then gets what the session shows of the messages. Put it last.
 */
export function palimpsest(options: PalimpsestOptions): PalimpsestContext {
  const { session: sessionOf = threadOf, recall = "offered", onCompaction = () => {}, ...rest } = options;
  const context = createMiddleware(rest);
  return {
    id: "palimpsest",
    processInputStep(step) {
      const { model, tools, providerOptions } = step;
      const given = asObject(asObject(providerOptions)?.[OWN]);
      const session = asString(given?.["session"]) ?? sessionOf(step);
      const named = { ...providerOptions, [OWN]: { ...given, ...(session === undefined ? {} : { session }) } };
      const result = {
        model: wrapModel(model as StepModel, context, onCompaction),
        providerOptions: named,
        ...(recall === "offered" ? { tools: { ...tools, recall: context.recall } } : {}),
      };
      return result as unknown as ProcessInputStepResult;
    },
    sessions: () => context.sessions(),
    close: () => context.close(),
  };
}

function threadOf({ requestContext }: Pick<ProcessInputStepArgs, "requestContext">): string | undefined {
  const memory = asObject((requestContext as { get(name: string): unknown } | undefined)?.get(MEMORY));
  return asString(asObject(memory?.["thread"])?.["id"]);
}

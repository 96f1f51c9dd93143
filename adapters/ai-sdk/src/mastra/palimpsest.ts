// The processor for Mastra: puts a session between an agent and its model.

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

/** Options of the processor. Only `store` is required. */
export interface PalimpsestOptions extends MiddlewareOptions {
  /** Returns the name of a step's session. @default the thread of Mastra's memory; without a thread, the messages identify the session */
  readonly session?: (step: Pick<ProcessInputStepArgs, "requestContext">) => string | undefined;
  /** Whether the agent gets the tool `recall`. Summaries and stubs mention the tool only if the agent has it. @default "offered" */
  readonly recall?: "offered" | "left-out";
  /** Called with each compaction, for a user interface. @default does nothing */
  readonly onCompaction?: (data: CompactionData) => void;
}

/** A processor for an agent's `inputProcessors`, with access to its sessions. */
export interface PalimpsestContext extends Processor<"palimpsest"> {
  processInputStep(step: ProcessInputStepArgs): ProcessInputStepResult;
  /** Returns the sessions that are open in this process, for costs, events and notes. */
  sessions(): readonly Session<AiSdkRequest, AiSdkResponse>[];
  /** Closes all sessions. Call it before the process ends. The store stays open. */
  close(): Promise<void>;
}

/** The key of our provider options, which hold the session's name, and the key of Mastra's memory in the request context. */
const [OWN, MEMORY] = ["palimpsest", "MastraMemory"];

/**
 * Keeps the conversations of a Mastra agent inside the context window. Mastra keeps its memory and messages. Before each step,
 * the processor wraps the step's model, so that the model gets the messages that the session shows. Put the processor last.
 */
export function palimpsest(options: PalimpsestOptions): PalimpsestContext {
  const { session: sessionOf = threadOf, recall = "offered", onCompaction = () => {}, ...rest } = options;
  const context = createMiddleware(rest);
  return {
    id: "palimpsest",
    processInputStep(step) {
      const { model, tools, providerOptions } = step;
      const ownOptions = asObject(asObject(providerOptions)?.[OWN]);
      const session = asString(ownOptions?.["session"]) ?? sessionOf(step);
      const named = { ...providerOptions, [OWN]: { ...ownOptions, ...(session === undefined ? {} : { session }) } };
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

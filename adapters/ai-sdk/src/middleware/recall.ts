// Creates the tool `recall` in the form of the AI SDK.

import { recallTool } from "palimpsest";
import { recallForCall } from "palimpsest/adapter-parts";
import type { Sessions } from "./sessions.ts";

/** The tool `recall` in the form of the SDK. Its schema is a Standard JSON Schema, so the SDK does not have to be loaded. */
export interface RecallTool {
  readonly description: string;
  readonly inputSchema: RecallSchema;
  execute(input: Readonly<Record<string, unknown>>, options: { readonly toolCallId: string }): Promise<string>;
}

interface RecallSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: {
      readonly input: Readonly<Record<string, unknown>>;
      readonly output: Readonly<Record<string, unknown>>;
    };
    validate(value: unknown): { readonly value: Readonly<Record<string, unknown>> };
    readonly jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
}

/** Creates the tool. The id of a call identifies the session that recorded the call. */
export function createRecallTool(sessions: Sessions): RecallTool {
  const { description = "", inputSchema } = recallTool;
  const schema = (): Record<string, unknown> => ({ ...inputSchema });
  return {
    description,
    inputSchema: {
      "~standard": {
        version: 1,
        vendor: "palimpsest",
        validate: (value) => ({ value: value as Readonly<Record<string, unknown>> }),
        jsonSchema: { input: schema, output: schema },
      },
    },
    execute: (input, { toolCallId }) => recallForCall(sessions.open(), toolCallId, input),
  };
}

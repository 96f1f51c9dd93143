import { recallTool } from "palimpsest";
import { recallForCall } from "palimpsest/adapter-parts";
import type { Sessions } from "./sessions.ts";

/** The tool `recall` in the form of the SDK. Its schema is a Standard JSON Schema, so that nothing of the SDK has to be loaded. */
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

/** Makes the tool. A call is found by its id in the session that has recorded it. */
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

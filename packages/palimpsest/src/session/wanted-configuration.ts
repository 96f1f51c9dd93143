import type { ToolDefinition } from "../log/tool-definition.ts";
import type { Tool } from "../schema/tool.ts";

/** What is sent beside the messages, as the caller wants it. What is left out stays as it is. */
export interface WantedConfiguration {
  readonly model?: string;
  /** @default none */
  readonly system?: string;
  /** Made by `tool()`, which `query` can run, or definitions for a loop of your own. @default none */
  readonly tools?: readonly (Tool | ToolDefinition)[];
  /** Fields of the provider's request, passed on as they are. @default none */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

// Reads the definition of a tool.

import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import type { ToolParts } from "palimpsest/adapter-parts";
import { asObject, type JsonObject } from "palimpsest/schema";

/** Reads the name, description and schema of a tool in any form of the framework; undefined for tools of services. */
export function readTool(tool: object): ToolParts | undefined {
  const converted = convertToOpenAITool(tool as JsonObject) as unknown as JsonObject;
  const called = asObject(converted["function"]);
  return called && { name: called["name"], description: called["description"], schema: called["parameters"] };
}

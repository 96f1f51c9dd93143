import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import type { ToolParts } from "palimpsest/adapter-parts";
import { asObject, type JsonObject } from "palimpsest/schema";

/** Reads name, description and schema of a tool of the framework, whatever form it has; undefined for tools of services. */
export function readTool(tool: object): ToolParts | undefined {
  const converted = convertToOpenAITool(tool as JsonObject) as unknown as JsonObject;
  const called = asObject(converted["function"]);
  return called && { name: called["name"], description: called["description"], schema: called["parameters"] };
}

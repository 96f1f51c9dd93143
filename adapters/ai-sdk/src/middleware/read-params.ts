// Reads the session's name and configuration from a call, and builds the call to send.

import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ToolDefinition } from "palimpsest";
import type { FrameworkCall } from "palimpsest/adapter-parts";
import { asString, present } from "palimpsest/schema";
import type { AiSdkRequest } from "../provider/wire.ts";

type CallTool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

/** Returns the session name of a call: `providerOptions: { palimpsest: { session } }`. */
export function sessionKeyOf({ providerOptions }: LanguageModelV4CallOptions): string | undefined {
  return asString(providerOptions?.[OWN]?.["session"]);
}

/** The key of this middleware's options in a call: `providerOptions.palimpsest`. */
const OWN = "palimpsest";

/** Reads the configuration of a session from a call. Headers are left out, because they may contain secrets. */
export function readConfiguration(params: LanguageModelV4CallOptions): FrameworkCall<unknown>["configuration"] {
  const { prompt: _, abortSignal: __, headers: ___, includeRawChunks: ____, maxOutputTokens: _____, ...rest } = params;
  const { tools = [], providerOptions, ...parameters } = rest;
  const { [OWN]: ______, ...others } = providerOptions ?? {};
  const other = tools.filter((tool) => !isPlain(tool));
  return {
    tools: tools.filter(isPlain).map(toDefinition),
    parameters: {
      ...present(parameters),
      ...(Object.keys(others).length === 0 ? {} : { providerOptions: others as SharedV4ProviderOptions }),
      ...(other.length === 0 ? {} : { tools: other }),
    },
  };
}

/** Builds the call to send: the prompt comes from the prepared request, everything else from the caller's call. */
export function toSent(params: LanguageModelV4CallOptions, request: AiSdkRequest): LanguageModelV4CallOptions {
  const { model: _, ...call } = request;
  const { abortSignal, headers, includeRawChunks, maxOutputTokens = Number.POSITIVE_INFINITY } = params;
  const limit = Math.min(maxOutputTokens, call.maxOutputTokens ?? maxOutputTokens);
  return { ...call, maxOutputTokens: limit, ...present({ abortSignal, headers, includeRawChunks }) };
}

/** Whether a tool has only a name, a description and a schema. Other tools are passed on unchanged. */
function isPlain(tool: CallTool): tool is Extract<CallTool, { type: "function" }> {
  const fields = Object.entries(tool).filter(([, value]) => value !== undefined);
  const isKnown = fields.every(([name]) => ["type", "name", "description", "inputSchema"].includes(name));
  return tool.type === "function" && isKnown && /^[a-zA-Z0-9_-]{1,128}$/.test(tool.name);
}

function toDefinition({ name, description, inputSchema }: Extract<CallTool, { type: "function" }>): ToolDefinition {
  const schema = inputSchema as ToolDefinition["inputSchema"];
  return { name, ...(description === undefined ? {} : { description }), inputSchema: schema };
}

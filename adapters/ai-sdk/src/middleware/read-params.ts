import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ToolDefinition } from "palimpsest";
import type { FrameworkCall } from "palimpsest/adapter-parts";
import { asString, present } from "palimpsest/schema";
import type { AiSdkRequest } from "../provider/wire.ts";

/** The name under which a call speaks to this middleware: `providerOptions.palimpsest`. */
const OWN = "palimpsest";

type CallTool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

/** The session that a call names: `providerOptions: { palimpsest: { session } }`. */
export function sessionKeyOf({ providerOptions }: LanguageModelV4CallOptions): string | undefined {
  return asString(providerOptions?.[OWN]?.["session"]);
}

/** What a call sets beside its messages, as the configuration of a session. Headers may have secrets and are left out. */
export function readConfiguration(params: LanguageModelV4CallOptions): FrameworkCall<unknown>["configuration"] {
  const { prompt: _, abortSignal: __, headers: ___, includeRawChunks: ____, maxOutputTokens: _____, ...rest } = params;
  const { tools: given = [], providerOptions, ...parameters } = rest;
  const { [OWN]: ______, ...others } = providerOptions ?? {};
  const other = given.filter((tool) => !isPlain(tool));
  return {
    tools: given.filter(isPlain).map(toDefinition),
    parameters: {
      ...present(parameters),
      ...(Object.keys(others).length === 0 ? {} : { providerOptions: others as SharedV4ProviderOptions }),
      ...(other.length === 0 ? {} : { tools: other }),
    },
  };
}

/** The call that is made for a prepared request: what is no part of a prompt is taken from the caller's. */
export function toSent(params: LanguageModelV4CallOptions, request: AiSdkRequest): LanguageModelV4CallOptions {
  const { model: _, ...call } = request;
  const { abortSignal, headers, includeRawChunks, maxOutputTokens = Number.POSITIVE_INFINITY } = params;
  const limit = Math.min(maxOutputTokens, call.maxOutputTokens ?? maxOutputTokens);
  return { ...call, maxOutputTokens: limit, ...present({ abortSignal, headers, includeRawChunks }) };
}

/** A tool that is nothing but a name, a description and a schema. All others are passed on as they are. */
function isPlain(tool: CallTool): tool is Extract<CallTool, { type: "function" }> {
  const fields = Object.entries(tool).filter(([, value]) => value !== undefined);
  const isKnown = fields.every(([name]) => ["type", "name", "description", "inputSchema"].includes(name));
  return tool.type === "function" && isKnown && /^[a-zA-Z0-9_-]{1,128}$/.test(tool.name);
}

function toDefinition({ name, description, inputSchema }: Extract<CallTool, { type: "function" }>): ToolDefinition {
  const schema = inputSchema as ToolDefinition["inputSchema"];
  return { name, ...(description === undefined ? {} : { description }), inputSchema: schema };
}

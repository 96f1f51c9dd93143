import type { Block } from "../log/block.ts";
import type { ConfigurationPayload, Held, ToolDefinition } from "../log/payload.ts";
import type { FeatureOptions, Features } from "../tokens/features.ts";
import { sumOfFeatures } from "./item.ts";
import { headTools } from "./offer-tools.ts";
import type { Configuration } from "./view.ts";

/** Reads unchanged parts from an earlier entry; undefined if that entry is not the one in effect. */
export function resolveConfiguration(
  at: number,
  { provider, model, system, tools, parameters, provenance }: ConfigurationPayload,
  before: Configuration | undefined,
  options?: FeatureOptions,
): Configuration | undefined {
  const heldSystem = resolve(at, system, before && { value: before.system, heldBy: before.systemHeldBy });
  const heldTools = resolve(at, tools, before && { value: before.tools, heldBy: before.toolsHeldBy });
  if (heldSystem === undefined || heldTools === undefined) return undefined;
  return {
    entry: at,
    systemHeldBy: heldSystem.heldBy,
    toolsHeldBy: heldTools.heldBy,
    provider,
    model,
    system: heldSystem.value,
    tools: heldTools.value,
    parameters,
    ...(provenance === undefined ? {} : { provenance }),
    features: featuresOfConfiguration(heldSystem.value, heldTools.value, options),
  };
}

interface HeldPart<Value> {
  readonly value: Value;
  readonly heldBy: number;
}

function resolve<Value>(
  at: number,
  held: Held<Value>,
  before: HeldPart<Value> | undefined,
): HeldPart<Value> | undefined {
  if ("value" in held) return { value: held.value, heldBy: at };
  return before?.heldBy === held.heldBy ? before : undefined;
}

function featuresOfConfiguration(
  system: string,
  tools: readonly ToolDefinition[],
  options: FeatureOptions | undefined,
): Features {
  return sumOfFeatures([{ kind: "text", text: system }, ...headTools(tools).map(definitionBlock)], options);
}

/** Represents a tool as content, so that its tokens can be counted. */
export function definitionBlock(tool: ToolDefinition): Block {
  return { kind: "opaque", native: { provider: "", block: tool } };
}

import { chainDigest, type Digest, EMPTY_DIGEST } from "../../digest.ts";
import { type Block, blocksOf, type MessagesRequest, type Tool } from "../request.ts";
import type { Measures } from "./measure.ts";

/** Fingerprints of what stands before the messages, without the settings that are rendered around it. */
export interface Head {
  readonly tools: Digest;
  readonly system: Digest;
}

export function headOf(request: MessagesRequest, measures: Measures): Head {
  let tools = EMPTY_DIGEST;
  for (const tool of promptTools(request)) tools = chainDigest(tools, measures.tool(tool).digest);
  let system = EMPTY_DIGEST;
  for (const block of systemBlocks(request)) system = chainDigest(system, measures.block(block).digest);
  return { tools, system };
}

/** The tools in the prompt: a deferred one is not there until a search brings it into the conversation. */
export function promptTools({ tools = [] }: MessagesRequest): readonly Tool[] {
  return tools.some((tool) => tool.defer_loading === true)
    ? tools.filter((tool) => tool.defer_loading !== true)
    : tools;
}

export function systemBlocks({ system }: MessagesRequest): readonly Block[] {
  return system ? blocksOf(system) : [];
}

import { digestText } from "../../digest.ts";
import { Prefix } from "../../prefix.ts";
import type { MessagesRequest } from "../request.ts";
import { type Lifetime, lifetime } from "./cache-marks.ts";
import { type PlacedBlock, ROLE_DIGESTS } from "./conversation.ts";
import { promptTools, systemBlocks } from "./head.ts";
import type { Measure, Measures } from "./measure.ts";

export interface RenderedPrompt {
  readonly prefix: Prefix;
  /** Breakpoints as positions in the prefix, in order. */
  readonly marks: readonly { readonly position: number; readonly lifetime: Lifetime }[];
  /** Positions that hold thinking, which no mark can stand on. */
  readonly thinkingPositions: ReadonlySet<number>;
}

/** Lays the prompt out in cache order: tools, system, messages. Settings invalidate from the section they belong to. */
export function renderPrompt(
  request: MessagesRequest,
  conversation: readonly PlacedBlock[],
  measures: Measures,
): RenderedPrompt {
  const prefix = new Prefix();
  const marks: { position: number; lifetime: Lifetime }[] = [];
  const thinkingPositions = new Set<number>();
  let lastMarkable = 0;
  const append = ({ digest, tokens, kind, mark }: Measure): void => {
    prefix.append(digest, tokens);
    if (kind === "thinking") thinkingPositions.add(prefix.length);
    else lastMarkable = prefix.length;
    if (mark !== undefined) marks.push({ position: prefix.length, lifetime: mark });
  };

  for (const tool of promptTools(request)) append(measures.tool(tool));
  const shown = traitsOf(conversation);
  prefix.mix(digestText(systemSettings(request, shown)));
  for (const block of systemBlocks(request)) append(measures.block(block));
  prefix.mix(digestText(messageSettings(request, shown)));
  let role: PlacedBlock["role"] | undefined;
  for (const said of conversation) {
    if (said.role !== role) prefix.mix(ROLE_DIGESTS[said.role]);
    role = said.role;
    append(said.measure);
  }

  const automatic = request.cache_control;
  if (automatic && lastMarkable > 0 && marks.at(-1)?.position !== lastMarkable) {
    marks.push({ position: lastMarkable, lifetime: lifetime(automatic) });
  }
  return { prefix, marks, thinkingPositions };
}

/** What a conversation contains anywhere that changes how all of it is rendered. */
type Traits = Pick<Measure, "images" | "citations">;

function traitsOf(conversation: readonly PlacedBlock[]): Traits {
  let images: Measure["images"] = "none";
  let citations: Measure["citations"] = "off";
  for (const { measure } of conversation) {
    if (measure.images === "some") images = "some";
    if (measure.citations === "on") citations = "on";
  }
  return { images, citations };
}

/** Changing one of these keeps the tools' cache and loses the system prompt's. */
function systemSettings(request: MessagesRequest, { citations }: Traits): string {
  const webSearch = request.tools?.some((tool) => tool.type?.startsWith("web_search")) ?? false;
  return JSON.stringify(["system", request.speed ?? "standard", webSearch, citations]);
}

/** Changing one of these loses only what is cached of the messages. */
function messageSettings(request: MessagesRequest, { images }: Traits): string {
  const { type, budget_tokens } = request.thinking ?? { type: "default" };
  const { type: choice, name, disable_parallel_tool_use: parallel } = request.tool_choice ?? { type: "auto" };
  // To ask for the default effort is to ask for nothing (the provider's caching guide; the default is high).
  const effort = request.output_config?.effort ?? "high";
  return JSON.stringify(["messages", choice, name, parallel ?? false, type, budget_tokens, effort, images]);
}

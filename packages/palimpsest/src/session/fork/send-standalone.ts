import type { Answer } from "../../forks/options.ts";
import type { StreamPart } from "../../providers/provider.ts";
import { readStream } from "../../providers/read-stream.ts";
import type { SessionContext } from "../../state/context.ts";
import type { EnterUsage } from "../../state/responses.ts";
import type { FlatMessage } from "../../view/flat-message.ts";
import { emitSideResponse } from "../emit-side-response.ts";

export interface StandaloneCall {
  readonly source: string;
  readonly model: string;
  readonly system: string;
  readonly said: readonly FlatMessage[];
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  readonly onPart?: (part: StreamPart) => void;
}

/** Asks a model that sees nothing of the conversation; what it uses is in the session's ledger. */
export async function sendStandalone<Request, Response, Message>(
  { session, provider, factsOf, clock, emit }: SessionContext<Request, Response, Message>,
  enterUsage: EnterUsage,
  { source, system, said, maxOutputTokens, signal, onPart, ...wanted }: StandaloneCall,
): Promise<Answer> {
  const request = provider.renderRequest({
    model: wanted.model,
    system,
    tools: [],
    parameters: {},
    marks: [],
    cacheTtl: "5m",
    messages: said.flatMap((message) => provider.renderMessage(message)),
    maxTokens: Math.min(maxOutputTokens, factsOf(wanted.model).maxOutputTokens),
    session: `${session}:${source}`,
  });
  const requestedAtMs = clock.now();
  const response = await readStream(provider.send(request, { signal }), onPart);
  const { blocks, responseId, model, stop, usage } = provider.readResponse(response);
  await enterUsage({ responseId, model, ...usage, source });
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
  const { prices } = factsOf(model);
  const call = { source, provider: provider.name, requestModel: wanted.model, requestedAtMs, prices };
  emitSideResponse(emit, call, { responseId, model, stop, usage, text });
  return { text, stop, usage, model, refusedCalls: blocks.filter(({ kind }) => kind === "tool_call").length };
}

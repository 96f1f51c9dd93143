import type { UsagePayload } from "../../log/payload.ts";
import { toDraft } from "../../log/to-draft.ts";
import type { ModelFacts } from "../../providers/models.ts";
import type { Provider, StreamPart } from "../../providers/provider.ts";
import { readStream } from "../../providers/read-stream.ts";
import type { FlatMessage } from "../../view/flat-message.ts";
import type { SessionState } from "../session-state.ts";
import type { Answer } from "./fork-options.ts";

export interface AloneOptions<Request, Response, Message> {
  readonly session: string;
  readonly state: SessionState;
  readonly provider: Provider<Request, Response, Message>;
  readonly factsOf: (model: string) => ModelFacts;
}

export interface AloneCall {
  readonly source: string;
  readonly model: string;
  readonly system: string;
  readonly said: readonly FlatMessage[];
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  readonly onPart?: (part: StreamPart) => void;
}

/** Asks a model that sees nothing of the conversation; what it uses is in the session's ledger. */
export async function sendAlone<Request, Response, Message>(
  { session, state, provider, factsOf }: AloneOptions<Request, Response, Message>,
  { source, system, said, maxOutputTokens, signal, onPart, ...wanted }: AloneCall,
): Promise<Answer> {
  const request = provider.renderRequest({
    ...{ model: wanted.model, system, tools: [], parameters: {}, marks: [], cacheTtl: "5m" },
    messages: said.flatMap((message) => provider.renderMessage(message)),
    maxTokens: Math.min(maxOutputTokens, factsOf(wanted.model).maxOutputTokens),
    session: `${session}:${source}`,
  });
  const response = await readStream(provider.send(request, { signal }), onPart);
  const { blocks, responseId, model, stop, usage } = provider.readResponse(response);
  await enterUsage({ state, factsOf }, { responseId, model, ...usage, source });
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
  return { text, stop, usage, model, refusedCalls: blocks.filter(({ kind }) => kind === "tool_call").length };
}

/** Of a call that was not made from the view, with what its model costs now. */
export async function enterUsage(
  { state, factsOf }: Pick<AloneOptions<unknown, unknown, unknown>, "state" | "factsOf">,
  usage: UsagePayload,
): Promise<void> {
  const { prices } = factsOf(usage.model);
  const draft = toDraft("usage", { ...usage, ...(prices === undefined ? {} : { prices }) });
  await state.inOrder(async () => {
    await state.append([draft]);
  });
}

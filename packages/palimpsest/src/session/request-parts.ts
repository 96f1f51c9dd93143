import type { RequestParts } from "../providers/provider.ts";
import type { RenderedView } from "../state/rendering.ts";
import type { Seal } from "../view/item.ts";
import { offerTools } from "../view/offer-tools.ts";
import type { ToolSearch } from "../view/tool-search.ts";
import type { Configuration } from "../view/view.ts";

export interface RequestSources<Message> extends RenderedView<Message> {
  readonly configuration: Configuration;
  /** The entry that says what was asked beside an answer. */
  readonly seal: Seal;
  /** How deferred tools come into the conversation. @default "native" */
  readonly toolSearch: ToolSearch | undefined;
  /** The session whose prompt it is: a fork sends that of its parent. */
  readonly session: string;
}

/** The parts of the request that a view and its newest seal stand for: the same for a session and for those who read its log. */
export function requestParts<Message>({
  configuration,
  seal,
  messages,
  marks,
  loaded,
  toolSearch = "native",
  session,
}: RequestSources<Message>): RequestParts<Message> {
  const { model, system, tools, parameters } = configuration;
  const { kind: _, from: __, to: ___, ...sealed } = seal;
  const offered = offerTools(tools, loaded, toolSearch);
  return { model, system, ...offered, parameters, messages, marks, cacheTtl: "5m", ...sealed, session };
}

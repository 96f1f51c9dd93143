import type { Provider, RequestParts } from "../providers/provider.ts";
import { differences, type JsonPath, valueAt } from "./split-json.ts";

/** Where a provider's form of a request has its parts. */
export interface RequestPlaces {
  /** The list of messages; undefined if the form has no list that grows with them. */
  readonly messages: JsonPath | undefined;
  /** How many elements of that list stand before the first message: in some forms the system prompt. */
  readonly head: number;
  readonly system: readonly JsonPath[];
  readonly tools: readonly JsonPath[];
}

/**
 * Finds the parts by rendering requests with and without them, so that nothing here knows any provider's form. The requests
 * are small: they have one message at most.
 */
export function findPlaces<Request, Message>(
  provider: Pick<Provider<Request, unknown, Message>, "renderRequest">,
  parts: RequestParts<Message>,
): RequestPlaces {
  const render = (more: Partial<RequestParts<Message>>): unknown =>
    provider.renderRequest({ ...parts, messages: [], marks: [], tools: [], system: "", ...more });
  const bare = render({});
  const withSystem = render({ system: parts.system });
  const withMessage = render({ messages: parts.messages.slice(0, 1) });
  const messages = differences(bare, withMessage).find((path) => Array.isArray(valueAt(withMessage, path)));
  const isElsewhere = (path: JsonPath): boolean => path.join() !== messages?.join();
  const head = messages === undefined ? undefined : valueAt(withSystem, messages);
  return {
    messages,
    head: Array.isArray(head) ? head.length : 0,
    system: differences(bare, withSystem).filter(isElsewhere),
    tools: differences(bare, render({ tools: parts.tools })).filter(isElsewhere),
  };
}

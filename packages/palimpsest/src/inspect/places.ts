import type { Provider, RequestParts } from "../providers/provider.ts";

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

/** Where a provider's form of a request has its parts. */
export interface RequestPlaces {
  /** The list of messages; undefined if the form has no list that grows with them. */
  readonly messages: JsonPath | undefined;
  /** How many elements of that list stand before the first message: in some forms the system prompt. */
  readonly head: number;
  readonly system: readonly JsonPath[];
  readonly tools: readonly JsonPath[];
}

/** Where a value stands in a JSON value: keys and indexes, from the outside in. */
export type JsonPath = readonly (string | number)[];

/** The outermost places in which a value has something that another one lacks, or has in another way; lists are not taken apart. */
function differences(before: unknown, after: unknown, path: JsonPath = []): readonly JsonPath[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isFields(before) || !isFields(after)) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(before[key], after[key], [...path, key]));
}

/** The value at a path; undefined if there is none. */
function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a path leads into a value, or to it. */
export function isWithin(path: JsonPath, outer: JsonPath): boolean {
  return outer.every((key, index) => path[index] === key);
}

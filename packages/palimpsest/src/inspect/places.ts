// Finds where a provider's format of requests has its parts.

import type { Provider, RequestParts } from "../providers/provider.ts";

/**
 * Finds where a provider's request has its messages, system prompt and tools, by rendering requests with and without each part. So
 * this code knows no provider's format. The rendered requests are small: they have at most one message.
 */
export function findPlaces(provider: Pick<Provider, "renderRequest">, parts: RequestParts): RequestPlaces {
  const render = (more: Partial<RequestParts>): unknown =>
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

/** The places of the parts in a provider's format of requests. */
export interface RequestPlaces {
  /** The list of messages; undefined if the format has no such list. */
  readonly messages: JsonPath | undefined;
  /** The number of list elements before the first message. In some formats, the list begins with the system prompt. */
  readonly head: number;
  readonly system: readonly JsonPath[];
  readonly tools: readonly JsonPath[];
}

/** The path to a value in a JSON value: keys and indexes, from the outside in. */
export type JsonPath = readonly (string | number)[];

/** Returns the paths at which two values differ. Objects are compared by field, lists as a whole. */
function differences(before: unknown, after: unknown, path: JsonPath = []): readonly JsonPath[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isFields(before) || !isFields(after)) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(before[key], after[key], [...path, key]));
}

/** Returns the value at a path; undefined if the path does not exist. */
function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a path leads to the value at `outer` or into it. */
export function isWithin(path: JsonPath, outer: JsonPath): boolean {
  return outer.every((key, index) => path[index] === key);
}

/** Where a value stands in a JSON value: keys and indexes, from the outside in. */
export type JsonPath = readonly (string | number)[];

/** A piece of JSON text. The pieces of a value, one behind the other, are its text. */
export interface JsonPiece {
  readonly path: JsonPath;
  readonly text: string;
  /** What of it closes the lists that it is the last of. */
  readonly closing: string;
}

/**
 * Writes a value as `JSON.stringify` does, in pieces: values that `isSplit` names are taken apart, all others are whole. What
 * opens a list belongs to its first piece, what closes it to its last.
 */
export function splitJson(
  root: unknown,
  isSplit: (path: JsonPath, value: object) => boolean,
  textOf: (value: unknown) => string | undefined = JSON.stringify,
): readonly JsonPiece[] {
  const pieces: { readonly path: JsonPath; text: string; closing: string }[] = [];
  let opening = "";
  const walk = (value: unknown, path: JsonPath): void => {
    const inner = typeof value === "object" && value !== null && isSplit(path, value) ? innerOf(value) : [];
    if (inner.length === 0) {
      pieces.push({ path, text: opening + (textOf(value) ?? "null"), closing: "" });
      opening = "";
      return;
    }
    const isList = Array.isArray(value);
    opening += isList ? "[" : "{";
    inner.forEach(([key, one], index) => {
      opening += (index === 0 ? "" : ",") + (isList ? "" : `${JSON.stringify(key)}:`);
      walk(one, [...path, key]);
    });
    const last = pieces.at(-1)!;
    last.text += isList ? "]" : "}";
    last.closing += isList ? "]" : "}";
  };
  walk(root, []);
  return pieces;
}

function innerOf(value: object): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((one, index) => [index, one] as const);
  return Object.entries(value).filter(([, one]) => one !== undefined);
}

/** Whether a path leads into a value, or to it. */
export function isWithin(path: JsonPath, outer: JsonPath): boolean {
  return outer.every((key, index) => path[index] === key);
}

/** The outermost places in which a value has something that another one lacks, or has in another way; lists are not taken apart. */
export function differences(before: unknown, after: unknown, path: JsonPath = []): readonly JsonPath[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isFields(before) || !isFields(after)) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(before[key], after[key], [...path, key]));
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

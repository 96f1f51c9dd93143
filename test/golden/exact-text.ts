/**
 * A value as text, with its keys in the order in which `JSON.stringify` would write them. Unlike `JSON.stringify`, it shows keys
 * whose value is `undefined`, functions, and the class of an object: a framework may treat them differently from an absent key.
 */
export function exactText(value: unknown): string {
  return write(value, []);
}

function write(value: unknown, above: readonly object[]): string {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "function":
      return "<function>";
    case "symbol":
      return `<${String(value)}>`;
    case "bigint":
      return `${value}n`;
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "object":
      return value === null ? "null" : writeObject(value, above);
  }
}

function writeObject(value: object, above: readonly object[]): string {
  const depth = above.indexOf(value);
  if (depth !== -1) return `<${above.length - depth} up>`;
  const within = [...above, value];
  if (Array.isArray(value)) {
    const members = Array.from(value, (member: unknown, at) => (at in value ? write(member, within) : "<hole>"));
    return `[${members.join(",")}]`;
  }
  const name = className(value);
  if (ArrayBuffer.isView(value))
    return `<${name} ${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")}>`;
  if (value instanceof URL) return `<URL ${JSON.stringify(value.href)}>`;
  if (value instanceof Date) return `<Date ${value.getTime()}>`;
  if (value instanceof AbortSignal) return "<AbortSignal>";
  if (value instanceof Map || value instanceof Set) return `<${name}>${write([...value], within)}`;
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${write(field, within)}`);
  return `${name === "Object" ? "" : `<${name}>`}{${fields.join(",")}}`;
}

/** An object without a prototype reads like any other. */
function className(value: object): string {
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: string } } | null;
  return prototype?.constructor?.name ?? "Object";
}

/** A copy of plain data that cannot change, all the way down. What was copied stays as it was, and free to change. */
export function frozenCopy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as Value;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    // A model may call a field so, and assigning to it would do something else.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: frozenCopy(field), enumerable: true });
    else copy[name] = frozenCopy(field);
  }
  return Object.freeze(copy) as Value;
}

/** Returns a deeply frozen copy of plain data. The original is not changed and not frozen. */
export function frozenCopy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as Value;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    // A model may name a field `__proto__`; assigning to it would set the prototype.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: frozenCopy(field), enumerable: true });
    else copy[name] = frozenCopy(field);
  }
  return Object.freeze(copy) as Value;
}

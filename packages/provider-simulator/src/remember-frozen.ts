import { MAXIMUM_DEPTH } from "./well-formed.ts";

/**
 * Remembers what was computed for an object, but only if the object can never change again.
 * A judge that trusted the identity of a mutable block could be fooled by editing it in place, so everything that is
 * not frozen through and through is read anew on every call. Callers who freeze their blocks get the speed.
 */
export function rememberFrozen<Value extends object, Result>(
  compute: (value: Value) => Result,
): (value: Value) => Result {
  const known = new WeakMap<Value, Result>();
  return (value) => {
    const remembered = known.get(value);
    if (remembered !== undefined) return remembered;
    const result = compute(value);
    if (isDeeplyFrozen(value)) known.set(value, result);
    return result;
  };
}

/** Whether nothing in the value can change any more. What nests deeper than any request is not worth finding out. */
export function isDeeplyFrozen(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAXIMUM_DEPTH || !Object.isFrozen(value)) return false;
  return Object.values(value).every((member) => isDeeplyFrozen(member, depth + 1));
}

import { MAXIMUM_DEPTH } from "./well-formed.ts";

/**
 * Caches the result for an object, but only if the object can never change. A cache by identity of a mutable block
 * could be fooled by editing the block in place, so anything that is not deeply frozen is read again on every call.
 * Callers who freeze their blocks get the speed.
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

/** Whether nothing in the value can change. A value nested deeper than any request counts as changeable. */
export function isDeeplyFrozen(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAXIMUM_DEPTH || !Object.isFrozen(value)) return false;
  return Object.values(value).every((member) => isDeeplyFrozen(member, depth + 1));
}

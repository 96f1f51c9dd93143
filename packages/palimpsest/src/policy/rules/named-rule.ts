// Gives a name and numbers to a rule that is a function.

import type { Json } from "../window-state.ts";

/** Sets the name of a function and the numbers that the log shows for it. */
export function namedRule<Rule extends (...args: never[]) => unknown>(
  name: string,
  params: Json | undefined,
  rule: Rule,
): Rule & { readonly params?: Json } {
  Object.defineProperty(rule, "name", { value: name });
  return params === undefined ? rule : Object.assign(rule, { params });
}

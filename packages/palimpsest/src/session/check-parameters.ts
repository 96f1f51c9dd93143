import { InvalidOptionError } from "../log/invalid-option-error.ts";
import type { Provider } from "../providers/provider.ts";

/** Fields of the request that the engine sets itself cannot be given as parameters: they would be replaced without a word. */
export function checkParameters(
  { setFields = {} }: Pick<Provider, "setFields">,
  parameters: Readonly<Record<string, unknown>> = {},
): void {
  for (const [field, instead] of Object.entries(setFields)) {
    if (parameters[field] === undefined) continue;
    throw new InvalidOptionError(`parameters.${field}`, parameters[field], `left out: ${instead}`);
  }
}

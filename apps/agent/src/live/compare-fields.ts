import { type Fields, STATUS } from "./wire-fields.ts";

/** A field in which the service is not as the simulator says. A side that does not have the field is left out. */
export interface Difference {
  readonly field: string;
  readonly actual?: string;
  readonly simulated?: string;
}

/**
 * Where two answers to the same request differ, field by field, in the order of their names. One of them with another status
 * has other fields altogether: then only what the service said is named.
 */
export function compareFields(actual: Fields, simulated: Fields): readonly Difference[] {
  const isAnother = actual[STATUS] !== simulated[STATUS];
  const fields = new Set([...Object.keys(actual), ...(isAnother ? [] : Object.keys(simulated))]);
  return [...fields]
    .toSorted()
    .filter((field) => actual[field] !== simulated[field])
    .map((field) => ({
      field,
      ...(actual[field] === undefined ? {} : { actual: actual[field] }),
      ...(simulated[field] === undefined ? {} : { simulated: simulated[field] }),
    }));
}

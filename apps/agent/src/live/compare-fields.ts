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
  return [...fields].toSorted().flatMap((field): readonly Difference[] => {
    const [ours, theirs] = [own(actual, field), own(simulated, field)];
    if (ours === theirs) return [];
    return [
      {
        field,
        ...(ours === undefined ? {} : { actual: ours }),
        ...(theirs === undefined ? {} : { simulated: theirs }),
      },
    ];
  });
}

/** A service may name a field as every object's own methods are named. */
function own(fields: Fields, name: string): string | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

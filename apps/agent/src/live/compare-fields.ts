import { type Fields, STATUS } from "../commands/live/wire-fields.ts";

/** A field that differs between the service and the simulator. A side without the field is left out. */
export interface Difference {
  readonly field: string;
  readonly actual?: string;
  readonly simulated?: string;
}

/**
 * Compares two answers to the same request, field by field, ordered by name. If their statuses differ, all fields differ, so
 * only the service's fields are listed.
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

/** Uses `Object.hasOwn`, since a service may have a field with the name of an object's method. */
function own(fields: Fields, name: string): string | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

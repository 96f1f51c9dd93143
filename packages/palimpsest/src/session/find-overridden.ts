import { asList, asObject } from "../schema/json-fields.ts";

/** A field of the parameters that is not sent as it was given. */
export interface Overridden {
  readonly parameter: string;
  readonly given: unknown;
  /** Absent if the field is left out. */
  readonly sent?: unknown;
  /** The option of the session that sets it, if there is one. */
  readonly option?: string;
}

/** Which option of a session takes the place of a field, whatever the provider calls it. */
const OPTIONS: Readonly<Record<string, string>> = {
  max_tokens: "maxOutputTokens",
  max_completion_tokens: "maxOutputTokens",
  max_output_tokens: "maxOutputTokens",
  model: "model",
  system: "system",
  instructions: "system",
};

/** Parameters that the request does not hold as the caller gave them. Lists and objects may have been added to. */
export function findOverridden(parameters: Readonly<Record<string, unknown>>, request: unknown): readonly Overridden[] {
  const fields = asObject(request) ?? {};
  return Object.entries(parameters).flatMap(([parameter, given]) => {
    const sent = fields[parameter];
    // `null` and `undefined` ask for a field to be left out.
    if (given === null || given === undefined || holds(sent, given)) return [];
    const option = OPTIONS[parameter];
    return [
      {
        parameter,
        given,
        ...(sent === undefined ? {} : { sent }),
        ...(option === undefined ? {} : { option }),
      },
    ];
  });
}

/** Whether all that was given is part of what is sent. */
function holds(sent: unknown, given: unknown): boolean {
  const list = asList(given);
  if (list !== undefined) return list.every((one) => asList(sent)?.some((other) => holds(other, one)));
  const object = asObject(given);
  if (object === undefined) return Object.is(sent, given);
  // Where the cache is marked is decided by the session, and changes nothing of what is said.
  return Object.entries(object).every(
    ([name, value]) => name === "cache_control" || holds(asObject(sent)?.[name], value),
  );
}

import { findProblems, type Schema } from "palimpsest/schema";
import { unkeepable } from "./check-json.ts";
import { type Problem, problem } from "./problems.ts";
import type { Route } from "./route.ts";

export interface RequestParts {
  readonly search: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

export type CheckedRequest = { readonly kind: "checked"; readonly query: Readonly<Record<string, unknown>> } | Problem;

/** Checks query, headers and body against the schemas of a route. Pure. */
export function checkRequest(route: Route, { search, headers, body }: RequestParts): CheckedRequest {
  const known = route.query ?? {};
  const query = Object.fromEntries([...search].map(([name, text]) => [name, toValue(known[name], text)]));
  // First: what checks the rest goes down as deep as the value.
  const unkept = Object.entries({ query, body }).flatMap(([place, value]) => {
    const found = unkeepable(value);
    return found === undefined ? [] : [`The ${place} ${found}`];
  });
  if (unkept.length > 0) return problem("invalid-request", `${unkept.join(". ")}.`, { more: { problems: unkept } });
  const problems = [
    ...findProblems({ type: "object", properties: known, additionalProperties: false }, query).map(within("the query")),
    ...headerProblems(route.headers ?? {}, headers),
    ...(route.body === undefined ? [] : findProblems(route.body, body).map(within("the body"))),
  ];
  if (problems.length === 0) return { kind: "checked", query };
  return problem("invalid-request", `${problems.join(". ")}. /v1/openapi.json has the schema.`, { more: { problems } });
}

function within(place: string): (found: string) => string {
  return (found) => `In ${place}: ${found}`;
}

function headerProblems(wanted: Readonly<Record<string, Schema>>, headers: RequestParts["headers"]): readonly string[] {
  return Object.entries(wanted).flatMap(([name, schema]) => {
    const value = headers[name];
    if (value === undefined) return [`The header ${name} is missing`];
    return findProblems(schema, value).map(within(`the header ${name}`));
  });
}

/** Everything in a query is text; a number that is none stays text, which its schema refuses. */
function toValue(schema: Schema | undefined, text: string): unknown {
  return schema?.["type"] === "integer" && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

import { integer, object } from "palimpsest/schema";
import { expect, test } from "vitest";
import { openApiDocument } from "../open-api-document.ts";
import { checkRequest } from "./check-request.ts";
import { routeFinder } from "./match-route.ts";
import { PROBLEMS } from "./problems.ts";
import { route } from "./route.ts";

const rewind = route({
  method: "POST",
  path: "/v1/things/{thing}/rewind",
  operation: "rewind",
  about: "Goes back.",
  scope: "sessions:write",
  body: object({ to: integer(undefined, { minimum: 0 }) }),
  query: { limit: integer(undefined, { minimum: 1 }) },
  headers: { "idempotency-key": { type: "string", minLength: 1 } },
  replies: { 204: { about: "Done." } },
  // The types are those of the schemas.
  run: async ({ body, query }) => ({
    kind: "json",
    status: 200,
    body: body.to.toFixed() + (query.limit?.toFixed() ?? ""),
  }),
});

test("requests are checked by the schemas of their route", () => {
  const check = (search: string, headers: Readonly<Record<string, string>>, body: unknown) =>
    checkRequest(rewind, { search: new URLSearchParams(search), headers, body });
  const key = { "idempotency-key": "k" };
  expect(check("limit=5", key, { to: 1 })).toEqual({ kind: "checked", query: { limit: 5 } });
  const problems = (found: ReturnType<typeof check>) => (found.kind === "problem" ? found.more?.["problems"] : []);
  expect(problems(check("limit=five&page=2", {}, { to: -1 }))).toEqual([
    "In the query: limit must be of type integer, not string",
    "In the query: page is not known; there is limit",
    "The header idempotency-key is missing",
    "In the body: to must be at least 0, not -1",
  ]);
  expect(problems(check("", key, undefined))).toHaveLength(1);
});

test("addresses are matched with their parameters decoded", () => {
  const find = routeFinder([rewind]);
  expect(find("POST", "/v1/things/a%2Fb%20c/rewind")).toMatchObject({ kind: "matched", params: { thing: "a/b c" } });
  expect(find("GET", "/v1/things/a/rewind")).toEqual({ kind: "wrong-method", allowed: ["POST"] });
  for (const path of ["/v1/things//rewind", "/v1/things/a/b/rewind", "/v1/things/%zz/rewind", "/"])
    expect(find("POST", path).kind).toBe("unknown-path");
});

test("the document names every problem, and each operation once", () => {
  const text = JSON.stringify(openApiDocument());
  const outside = ["unknown-path", "wrong-method"];
  for (const code of Object.keys(PROBLEMS).filter((one) => !outside.includes(one))) expect(text).toContain(`${code}: `);
  const operations = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, name]) => name);
  expect(new Set(operations).size).toBe(operations.length);
});

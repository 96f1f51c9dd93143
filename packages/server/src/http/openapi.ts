import type { Schema } from "palimpsest/schema";
import { PROBLEMS, type ProblemCode } from "./problems.ts";
import type { DocumentedReply, Route } from "./route.ts";

/** Answered by every operation, beside its own. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  "invalid-request",
  "unauthorized",
  "forbidden",
  "rate-limited",
  "internal",
  "stopping",
  "took-too-long",
];
/** By operations that read a body. */
const BODY_PROBLEMS: readonly ProblemCode[] = ["body-too-large", "wrong-media-type"];

export interface OpenApiOptions {
  readonly routes: readonly Route[];
  /** Schemas of replies by name; one is called Problem. */
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly version: string;
}

/** Writes the OpenAPI 3.1 document of the routes. Pure. */
export function openApi({ routes, schemas, version }: OpenApiOptions): object {
  const paths = Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, ways]) => [
      path,
      Object.fromEntries(ways.map((route) => [route.method.toLowerCase(), operationOf(route)])),
    ]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Palimpsest",
      version,
      description: "Sessions of agents over HTTP. Errors are problem details (RFC 9457) whose detail says what to do.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token of palimpsest database tokens create." },
      },
    },
  };
}

/** Every problem that an operation may answer with. */
function problemsOf({ body, problems = [] }: Pick<Route, "body" | "problems">): readonly ProblemCode[] {
  return [...COMMON_PROBLEMS, ...(body === undefined ? [] : BODY_PROBLEMS), ...problems];
}

function operationOf(route: Route): object {
  const { operation, about, scope, body, bodyIs, path, query = {}, headers = {}, replies } = route;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", required: false, schema })),
    ...Object.entries(headers).map(([name, schema]) => ({ name, in: "header", required: true, schema })),
  ];
  const requestBody = { required: bodyIs !== "optional", content: { "application/json": { schema: body } } };
  return {
    operationId: operation,
    summary: about,
    description: `Needs the scope ${scope}.`,
    ...(parameters.length === 0 ? {} : { parameters }),
    requestBody: body === undefined ? undefined : requestBody,
    responses: {
      ...Object.fromEntries(Object.entries(replies).map(([status, reply]) => [status, responseOf(reply)])),
      ...problemResponses(problemsOf(route)),
    },
  };
}

function responseOf({ about, schema, mediaType }: DocumentedReply): object {
  return {
    description: about,
    content: schema === undefined ? undefined : { [mediaType ?? "application/json"]: { schema } },
  };
}

/** Several problems may share a status. */
function problemResponses(codes: readonly ProblemCode[]): object {
  const schema = { $ref: "#/components/schemas/Problem" };
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      status,
      {
        description: same.map((code) => `${code}: ${PROBLEMS[code].title}.`).join(" "),
        content: { "application/problem+json": { schema } },
      },
    ]),
  );
}

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";

interface Documented {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Documented>>;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface ReplyChecker {
  readonly operations: readonly { readonly path: string; readonly method: string; readonly operation: Operation }[];
  /** Every operation with a status that is documented and was not seen. */
  missing(): readonly string[];
  /** Resolves to the body. */
  check(method: string, path: string, response: Response): Promise<unknown>;
}

/** Holds replies against an OpenAPI document, and remembers what was seen. */
export function replyChecker(document: OpenApiDocument): ReplyChecker {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "api");
  const seen = new Set<string>();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

  return {
    operations,
    missing: () =>
      operations
        .flatMap(({ operation: { operationId, responses } }) =>
          Object.keys(responses).map((status) => `${operationId} ${status}`),
        )
        .filter((one) => !seen.has(one)),
    async check(method, path, response) {
      const { pathname } = new URL(path, "http://x");
      const found = operations.find(
        (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
      );
      if (found === undefined) throw new Error(`${method} ${pathname} is not documented`);
      const { operationId, responses } = found.operation;
      const documented = responses[response.status];
      expect([operationId, response.status, documented?.description]).not.toContain(undefined);
      seen.add(`${operationId} ${response.status}`);
      const mediaType = response.headers.get("content-type");
      const [expected] = Object.keys(documented!.content ?? {});
      expect([operationId, response.status, mediaType]).toEqual([operationId, response.status, expected ?? null]);
      if (expected === undefined || expected === "text/event-stream") return response;
      const text = await response.text();
      const values: unknown[] = (expected === "application/x-ndjson" ? text.trim().split("\n") : [text]).map((one) =>
        JSON.parse(one),
      );
      const pointer = [
        "paths",
        found.path,
        method.toLowerCase(),
        "responses",
        String(response.status),
        "content",
        expected,
        "schema",
      ]
        .map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")))
        .join("/");
      const validate = ajv.getSchema(`api#/${pointer}`)!;
      for (const value of values) {
        validate(value);
        expect([operationId, validate.errors ?? []]).toEqual([operationId, []]);
      }
      return expected === "application/x-ndjson" ? values : values[0];
    },
  };
}

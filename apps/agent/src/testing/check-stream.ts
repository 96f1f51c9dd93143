import { readFileSync } from "node:fs";
import { Ajv } from "ajv";

/**
 * Holds events of `--output-format stream-json` against the published schema, and returns those that do not fit. Readers may meet
 * new fields; here a field that the schema does not have is a problem, too.
 */
export function createStreamCheck(): (events: readonly unknown[]) => readonly string[] {
  const schema = readFileSync(new URL("../../stream.schema.json", import.meta.url), "utf8");
  const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true });
  const fits = ajv.compile(closed(JSON.parse(schema)) as object);
  return (events) =>
    events.flatMap((event) => {
      if (fits(JSON.parse(JSON.stringify(event)))) return [];
      const why = fits.errors?.filter(({ keyword }) => keyword !== "const" && keyword !== "anyOf");
      return [`${JSON.stringify(event).slice(0, 2_000)}: ${ajv.errorsText(why)}`];
    });
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  return parts["type"] === "object" && !countsTokens(parts["properties"])
    ? { ...parts, additionalProperties: false }
    : parts;
}

/** Where tokens are counted, the ledger's own counts go with them (prices, lifetimes of the cache): the types do not promise these. */
function countsTokens(properties: unknown): boolean {
  return typeof properties === "object" && properties !== null && "freshTokens" in properties;
}

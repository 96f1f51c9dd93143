/** `palimpsest/schema`: makes schemas, checks options, reads JSON fields, and checks values against JSON Schema. */

export { findProblems } from "./schema/check.ts";
export {
  aFunction,
  anAsyncIterable,
  aText,
  aValueOf,
  checkArgument,
  checkOptions,
  ifGiven,
  type Needed,
  withMethods,
} from "./schema/check-options.ts";
export { asCount, asList, asObject, asString, asStrings, type JsonObject, present } from "./schema/json-fields.ts";
export {
  choice,
  flag,
  type Infer,
  integer,
  type JsonSchema,
  list,
  number,
  type Optional,
  object,
  optional,
  record,
  type Schema,
  text,
  union,
} from "./schema/schema.ts";
export type { ReadInput, StandardSchema } from "./schema/standard.ts";
export { definitionOf, readInput } from "./schema/tool.ts";

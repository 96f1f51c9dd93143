/** `palimpsest/schema`: checks options, reads JSON fields, and checks values against JSON Schema. */

export { findProblems, type JsonSchema } from "./schema/check.ts";
export {
  aFunction,
  anAsyncIterable,
  aText,
  checkArgument,
  checkOptions,
  type Needed,
  withMethods,
} from "./schema/check-options.ts";
export { asCount, asList, asObject, asString, asStrings, type JsonObject, present } from "./schema/json-fields.ts";

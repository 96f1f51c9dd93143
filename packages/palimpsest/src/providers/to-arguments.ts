import { asObject, type JsonObject } from "../schema/json-fields.ts";

/** Services accept only an object as the input of a call, so a model's broken JSON, or a plain value, is wrapped in one. */
export function toArguments(input: unknown): JsonObject {
  return asObject(input) ?? (input === undefined ? {} : { input });
}

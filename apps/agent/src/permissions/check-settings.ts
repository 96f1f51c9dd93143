import { nearest } from "../text/nearest.ts";
import type { SettingsSchema } from "./settings-schema.ts";

/** What in a settings file is not as its schema says, one line each, with what may have been meant. */
export function checkSettings(value: unknown, schema: SettingsSchema): readonly string[] {
  return check(value, schema, "");
}

function check(value: unknown, schema: SettingsSchema, path: string): readonly string[] {
  const { type, anyOf } = schema;
  const say = (what: string): readonly string[] => [path === "" ? what : `${path}: ${what}`];
  if (anyOf !== undefined) return nearestWay(anyOf.map((way) => check(value, way, path)));
  if (type !== undefined && typeOf(value) !== type) return say(`it is ${NAMES[type]}, not ${short(value)}`);
  if (typeof value === "string") return checkWord(value, schema).flatMap(say);
  if (typeof value === "number") return checkNumber(value, schema).flatMap(say);
  if (Array.isArray(value)) {
    const { items = {}, minItems = 0 } = schema;
    if (value.length < minItems) return say("it is empty");
    return value.flatMap((element, index) => check(element, items, `${path}[${index}]`));
  }
  return typeOf(value) === "object" ? checkFields(value as object, schema, path) : [];
}

const NAMES = { object: "an object", array: "a list", string: "a text", number: "a number" } as const;

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}

function checkWord(value: string, { enum: words }: SettingsSchema): readonly string[] {
  if (words === undefined || words.includes(value)) return [];
  return [`${short(value)} is none of ${words.join(", ")}.${meant(value, words)}`];
}

function checkNumber(
  value: number,
  { exclusiveMinimum = -Infinity, maximum = Infinity }: SettingsSchema,
): readonly string[] {
  if (value > exclusiveMinimum && value <= maximum) return [];
  return [`it is above ${exclusiveMinimum} and at most ${maximum}, not ${value}`];
}

function checkFields(value: object, schema: SettingsSchema, path: string): readonly string[] {
  const { properties = {}, required = [], additionalProperties = {} } = schema;
  const inside = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const fields = Object.entries(value).flatMap(([name, member]) => {
    if (Object.hasOwn(properties, name)) return check(member, properties[name]!, inside(name));
    if (additionalProperties !== false) return check(member, additionalProperties, inside(name));
    return [`${inside(name)}: there is no such setting.${meant(name, Object.keys(properties))}`];
  });
  return [...missing.map((name) => `${path}: it has no ${name}`), ...fields];
}

/** Of several forms a value may have: what is wrong with it by the one that it comes nearest to. */
function nearestWay(ways: readonly (readonly string[])[]): readonly string[] {
  return ways.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

function meant(typed: string, words: readonly string[]): string {
  const word = nearest(typed, words);
  return word === undefined ? "" : ` Did you mean ${word}?`;
}

const SHORT_CHARACTERS = 60;

function short(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > SHORT_CHARACTERS ? `${json.slice(0, SHORT_CHARACTERS)}…` : json;
}

import { isObject, type JsonObject } from "../json.ts";

/** What a field may hold. Unknown members of a structure are ignored, as all services of this host do; a union has exactly one. */
export type Field =
  | { readonly kind: "text"; readonly least?: number; readonly most?: number; readonly pattern?: string }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "number"; readonly least?: number; readonly most?: number }
  | { readonly kind: "object" }
  | { readonly kind: "any" }
  | { readonly kind: "structure"; readonly of: Fields; readonly needs: readonly string[] }
  | { readonly kind: "union"; readonly name: string; readonly of: Fields }
  | { readonly kind: "list"; readonly of: Field; readonly least?: number };

export type Fields = Readonly<Record<string, Field>>;

/** The place of a value: names, and indexes from 0. */
export type Path = readonly (string | number)[];

/** Everything that is wrong with a value. The service tells of the first kind that it finds, in this order. */
export interface Flaws {
  readonly types: string[];
  readonly constraints: string[];
  readonly unions: string[];
}

export function findFlaws(value: unknown, field: Field): Flaws {
  const flaws: Flaws = { types: [], constraints: [], unions: [] };
  check(value, field, [], flaws);
  return flaws;
}

/** `messages.0.content.1`, as the service's own checks name a place. */
function toPlace(path: Path): string {
  return path.join(".");
}

/** `messages.1.member.content.2.member`, as its framework does. */
function toMember(path: Path): string {
  return path.map((step) => (typeof step === "number" ? `${step + 1}.member` : step)).join(".");
}

function check(value: unknown, field: Field, path: Path, flaws: Flaws): void {
  const fails = (rule: string, shown = ""): void => {
    flaws.constraints.push(`Value ${shown}at '${toMember(path)}' failed to satisfy constraint: Member must ${rule}`);
  };
  const isOf = (right: boolean): boolean => {
    if (!right) flaws.types.push(`Unexpected type at ${toPlace(path)}`);
    return right;
  };
  switch (field.kind) {
    case "text":
      if (isOf(typeof value === "string")) checkText(value as string, field, fails);
      return;
    case "choice":
      if (isOf(typeof value === "string") && !field.of.includes(value as string)) {
        fails(`satisfy enum value set: [${field.of.join(", ")}]`, `'${value}' `);
      }
      return;
    case "number": {
      if (!isOf(typeof value === "number")) return;
      const { least = -Infinity, most = Infinity } = field;
      if ((value as number) < least) fails(`have value greater than or equal to ${least}`, `'${value}' `);
      if ((value as number) > most) fails(`have value less than or equal to ${most}`, `'${value}' `);
      return;
    }
    case "object":
      isOf(isObject(value));
      return;
    case "any":
      return;
    case "list":
      if (!isOf(Array.isArray(value))) return;
      if ((value as unknown[]).length < (field.least ?? 0)) {
        fails(`have length greater than or equal to ${field.least}`, "'[]' ");
      }
      for (const [index, item] of (value as unknown[]).entries()) check(item, field.of, [...path, index], flaws);
      return;
    case "structure":
      if (isOf(isObject(value))) checkStructure(value as JsonObject, field, path, flaws);
      return;
    case "union":
      if (isOf(isObject(value))) checkUnion(value as JsonObject, field, path, flaws);
  }
}

function checkText(
  value: string,
  { least = 0, most = Infinity, pattern }: Extract<Field, { kind: "text" }>,
  fails: (rule: string) => void,
): void {
  if (value.length < least) fails(`have length greater than or equal to ${least}`);
  if (value.length > most) fails(`have length less than or equal to ${most}`);
  const isRight = pattern === undefined || new RegExp(`^(?:${pattern})$`).test(value);
  if (!isRight) fails(`satisfy regular expression pattern: ${pattern}`);
}

function checkStructure(
  value: JsonObject,
  { of, needs }: Extract<Field, { kind: "structure" }>,
  path: Path,
  flaws: Flaws,
): void {
  for (const [name, field] of Object.entries(of)) {
    const given = value[name];
    if (given !== undefined && given !== null) check(given, field, [...path, name], flaws);
    else if (needs.includes(name)) {
      const place = toMember([...path, name]);
      flaws.constraints.push(`Value null at '${place}' failed to satisfy constraint: Member must not be null`);
    }
  }
}

/** The text is from memory. */
function checkUnion(
  value: JsonObject,
  { name, of }: Extract<Field, { kind: "union" }>,
  path: Path,
  flaws: Flaws,
): void {
  const members = Object.keys(of).filter((member) => value[member] !== undefined && value[member] !== null);
  const [only] = members;
  if (only === undefined || members.length > 1) {
    const keys = Object.keys(of).join(", ");
    flaws.unions.push(`The ${name} object at ${toPlace(path)} must set one of the following keys: ${keys}.`);
    return;
  }
  check(value[only], of[only]!, [...path, only], flaws);
}

import { invalid, type Problem } from "../problem.ts";

export type JsonRecord = Readonly<Record<string, unknown>>;

/** Where in the request something stands. Spelled out only when an error needs it: most requests have none. */
export type Path = () => string;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTyped(value: unknown): value is JsonRecord & { readonly type: string } {
  return isRecord(value) && typeof value["type"] === "string";
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The service knows every field of every object: one it does not know is refused, not ignored. */
export function checkExtraFields(
  value: JsonRecord,
  allowed: { has(field: string): boolean },
  path: Path,
): Problem | undefined {
  for (const field in value) {
    if (!allowed.has(field) && value[field] !== undefined) {
      return invalid(`${path()}.${field}: Extra inputs are not permitted`);
    }
  }
  return undefined;
}

const CACHE_CONTROL_FIELDS = new Set(["type", "ttl"]);

/** `path` is that of the object that carries the mark. */
export function checkCacheControl(value: unknown, path: Path): Problem | undefined {
  if (!isPresent(value)) return undefined;
  if (!isRecord(value)) return invalid(`${path()}.cache_control: Input should be a valid dictionary`);
  if (value["type"] !== "ephemeral") return invalid(`${path()}.cache_control.type: Input should be 'ephemeral'`);
  const { ttl } = value;
  if (ttl !== undefined && ttl !== "5m" && ttl !== "1h") {
    return invalid(`${path()}.cache_control.ttl: Input should be '5m' or '1h'`);
  }
  return checkExtraFields(value, CACHE_CONTROL_FIELDS, () => `${path()}.cache_control`);
}

export function unknownTag(path: string, tag: unknown, expected?: readonly string[]): Problem {
  const list = expected === undefined ? "" : `: ${expected.map((name) => `'${name}'`).join(", ")}`;
  const name = typeof tag === "string" ? tag : JSON.stringify(tag);
  return invalid(`${path}: Input tag '${name}' found using 'type' does not match any of the expected tags${list}`);
}

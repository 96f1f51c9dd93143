import { asObject, asString } from "palimpsest/schema";

/** The message of an error may quote the file. Its code is ours, or the system's. */
export function errorCode(error: unknown): string {
  const code = asString(asObject(error)?.["code"]) ?? "";
  return /^[\w-]{1,60}$/.test(code) ? code : "damaged";
}

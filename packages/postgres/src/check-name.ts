import { InvalidOptionError } from "palimpsest";

/** What can be a key, and is ordered in the same way everywhere. */
const NAME = /^[\x21-\x7e]{1,200}$/;

export function isName(name: string): boolean {
  return typeof name === "string" && NAME.test(name);
}

/** Returns the name of a session or a tenant, if it can be one. */
export function checkName(option: "session" | "tenant" | "memory", name: string): string {
  if (isName(name)) return name;
  throw new InvalidOptionError(option, name, "1 to 200 visible ASCII characters without spaces");
}

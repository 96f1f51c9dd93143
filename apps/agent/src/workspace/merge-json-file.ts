import { readFile } from "node:fs/promises";
import { writePrivateFile } from "./private-files.ts";
import { UsageError } from "./usage-error.ts";

/** Writes fields into a JSON file of the user, and keeps the others there. An undefined field is removed. */
export async function mergeJsonFile(file: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const before = await readFile(file, "utf8").catch(() => "{}");
  const values = parse(before);
  if (values === undefined) {
    throw new UsageError(`${file} is not a JSON object. Fix the file and try again. Nothing was written.`);
  }
  await writePrivateFile(file, `${JSON.stringify({ ...values, ...fields }, undefined, 2)}\n`);
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

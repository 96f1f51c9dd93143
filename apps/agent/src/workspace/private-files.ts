// Creates folders and files that only this user can read.
import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "./usage-error.ts";

/** Creates a folder and its missing parents for this user only. Rejects a link or a folder of another user. */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
    // `mkdir` applies the umask to the mode, so it is set again.
    await chmod(path, 0o700);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (error.code === "ENOENT") {
      await makePrivateFolder(dirname(path));
      return makePrivateFolder(path);
    }
    if (error.code !== "EEXIST") throw error;
    const stat = await lstat(path);
    const foreign = process.getuid !== undefined && stat.uid !== process.getuid();
    if (!stat.isDirectory() || foreign) {
      throw new Error(
        `${path} is a link, not a folder, or it belongs to another user. Nothing was written. Remove it or choose another folder.`,
      );
    }
  }
}

/** Atomically writes a file that only this user can read. */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  await makePrivateFolder(dirname(path));
  const beside = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      await file.chmod(0o600);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Writes fields into a JSON file of the user, and keeps the other fields. Removes a field whose value is undefined. */
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

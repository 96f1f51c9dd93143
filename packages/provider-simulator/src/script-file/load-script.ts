import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isObject } from "../json.ts";
import { type AsyncScript, inOrder, type Reply } from "../script.ts";
import { readObject, readReply, ScriptProblem } from "./read-reply.ts";

/**
 * Loads the model's answers from a file. JSON has `replies`, given one after the other, and `rest` for all that follow. A
 * module exports a script as its default: a function from the request to a reply, async or not, in either form.
 */
export async function loadScript(file: string): Promise<AsyncScript> {
  try {
    return file.endsWith(".json") ? readScript(JSON.parse(await readFile(file, "utf8"))) : await importScript(file);
  } catch (error) {
    throw new Error(`Cannot use the script ${file}: ${(error as Error).message}`, { cause: error });
  }
}

function readScript(value: unknown): AsyncScript {
  const { replies, rest = "Done." } = readObject(value, "script", ["replies", "rest"]);
  if (!Array.isArray(replies)) throw new ScriptProblem("script.replies must be a list of replies.");
  const last = readReply(rest, "script.rest");
  return inOrder(
    replies.map((reply, index) => readReply(reply, `script.replies[${index}]`)),
    () => last,
  );
}

async function importScript(file: string): Promise<AsyncScript> {
  const { default: script } = (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown };
  if (typeof script !== "function") throw new ScriptProblem("its default export must be a function: (ask) => reply.");
  // Whoever starts the simulator with npx cannot import `answer`, so a module may return what JSON may say.
  return async (ask) => {
    const reply: unknown = await script(ask);
    return isReply(reply) ? reply : readReply(reply, "the reply");
  };
}

function isReply(value: unknown): value is Reply {
  return isObject(value) && Array.isArray(value["words"]);
}

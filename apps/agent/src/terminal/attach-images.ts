import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type NewContent, type Part, user } from "palimpsest";
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES } from "../extensions/files/image.ts";

export interface Attached {
  /** What was said, with the images behind it. */
  readonly content: NewContent;
  /** Why one of them is not there, a line each. */
  readonly problems: readonly string[];
}

/** A file that is named in what is said: `@name`, or `@"a name"` where it has spaces. What ends a sentence is not of the name. */
const NAMED = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+?))(?=[,.;:!?)]*(?:\s|$))/g;

/**
 * What is said, with the images that it names. The user named them, so they need not be in the project. Other files are left
 * to the model: it reads what it needs of them.
 */
export async function attachImages(text: string, folder: string): Promise<Attached> {
  const named = [...text.matchAll(NAMED)].map(([, quoted, word]) => quoted ?? word!);
  const read = await Promise.all(
    [...new Set(named)].flatMap((name) => {
      const mediaType = imageTypeOf(name);
      return mediaType === undefined ? [] : [readImage(name, mediaType, folder)];
    }),
  );
  const images = read.filter((one) => typeof one !== "string");
  const problems = read.filter((one) => typeof one === "string");
  return { content: images.length === 0 ? text : user([{ kind: "text", text }, ...images]), problems };
}

async function readImage(name: string, mediaType: string, folder: string): Promise<Part | string> {
  const path = resolve(folder, name.replace(/^~(?=\/)/, homedir()));
  try {
    const { size } = await stat(path);
    if (size > MAX_IMAGE_BYTES) {
      return `${name} is not attached: it has ${size} bytes, at most ${MAX_IMAGE_BYTES} can be shown. Make it smaller first.`;
    }
    const image = imagePart(await readFile(path));
    return image ?? `${name} is not attached: its content is no ${mediaType}.`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `${name} is not attached: ${code === "ENOENT" ? "there is no such file" : message}.`;
  }
}

import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type NewContent, type Part, user } from "palimpsest";
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES } from "../extensions/files/image.ts";

export interface Attached {
  /** The user's text, followed by the images. */
  readonly content: NewContent;
  /** Why an image could not be attached, one line each. */
  readonly problems: readonly string[];
}

/** Matches a file name in the user's text: `@name`, or `@"a name"` if it has spaces. Punctuation after it is not part of the name. */
const NAMED = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+?))(?=[,.;:!?)]*(?:\s|$))/g;

/**
 * Attaches the images that the user's text names. They may be outside of the project, since the user named them. Other files
 * are not attached: the model reads what it needs of them.
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
      return `Could not attach ${name}: it has ${size} bytes, and the limit is ${MAX_IMAGE_BYTES}. Make the image smaller.`;
    }
    const image = imagePart(await readFile(path));
    return image ?? `Could not attach ${name}: the file is not a valid ${mediaType}.`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `Could not attach ${name}: ${code === "ENOENT" ? "the file does not exist" : message}.`;
  }
}

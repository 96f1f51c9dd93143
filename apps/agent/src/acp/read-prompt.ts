import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { commandOutput, type NewContent, type Part, user } from "palimpsest";
import { imagePart, MAX_IMAGE_BYTES } from "../extensions/files/image.ts";

interface EditorPrompt {
  /** The user's words, with the names of mentioned files. */
  readonly words: string;
  /** The message, followed by the files that the editor sent. */
  readonly content: readonly NewContent[];
  /** Parts that were left out, one line each. */
  readonly problems: readonly string[];
}

/** Reads the content of a prompt. Text of files is not the user's words, so it is marked as data for the model. */
export function readPrompt(blocks: readonly ContentBlock[], folder: string): EditorPrompt {
  const parts: Part[] = [];
  const files: NewContent[] = [];
  const problems: string[] = [];
  const say = (text: string): void => {
    const last = parts.at(-1);
    if (last?.kind === "text") parts[parts.length - 1] = { kind: "text", text: last.text + text };
    else parts.push({ kind: "text", text });
  };
  const addImage = (data: string, name: string): void => {
    const bytes = Buffer.from(data, "base64");
    const image = bytes.length > MAX_IMAGE_BYTES ? undefined : imagePart(bytes);
    if (image !== undefined) parts.push(image);
    else
      problems.push(`${name} was left out: images are PNG, JPEG, GIF or WebP with at most ${MAX_IMAGE_BYTES} bytes.`);
  };
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        say(block.text);
        break;
      case "resource_link":
        say(mention(block.uri, folder));
        break;
      case "image":
        addImage(block.data, block.uri ?? "An image");
        break;
      case "resource": {
        const { resource } = block;
        say(mention(resource.uri, folder));
        if ("text" in resource) files.push(fileContent(resource.text, mention(resource.uri, folder)));
        else if (resource.mimeType?.startsWith("image/")) addImage(resource.blob, resource.uri);
        else problems.push(`${resource.uri} was left out: it is neither text nor an image.`);
        break;
      }
      default:
        problems.push(`A part of the message was left out: ${block.type} is not supported.`);
    }
  }
  const words = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  const isText = parts.every(({ kind }) => kind === "text");
  return { words, content: [isText ? words : user(parts), ...files], problems };
}

function fileContent(text: string, name: string): NewContent {
  return { ...commandOutput(text), provenance: { kind: "outside", name: `editor: ${name}` } };
}

/** Names a file as a user of the terminal would: `@src/a.ts`. A position in the file follows the name. */
function mention(uri: string, folder: string): string {
  const url = URL.parse(uri);
  if (url?.protocol !== "file:") return uri;
  const { hash } = url;
  url.hash = "";
  try {
    const path = fileURLToPath(url);
    const inside = relative(folder, path);
    const name = inside === "" || inside.startsWith("..") ? path : inside;
    return /\s/.test(name) ? `@"${name}${hash}"` : `@${name}${hash}`;
  } catch {
    // A file on another machine has no path here.
    return uri;
  }
}

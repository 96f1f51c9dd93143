import { expect, test } from "vitest";
import { MAX_IMAGE_BYTES } from "../extensions/files/image.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { attachImages } from "./attach-images.ts";
import { asNamedImage } from "./pastes.ts";

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

test("images that are named are sent behind the words, each once; other files are left to the model", async () => {
  const { folder, put } = temporaryProject({ "limit.ts": "" });
  put("a folder/shot.png", PNG);
  put("other.jpeg", PNG);
  const text = 'see @"a folder/shot.png" and @other.jpeg, again @other.jpeg, and @limit.ts; mail me@other.jpeg';
  const { content, problems } = await attachImages(text, folder);
  const image = (mediaType: string) => ({
    kind: "image",
    source: { kind: "base64", mediaType, data: PNG.toString("base64") },
  });
  expect(problems).toEqual([]);
  expect(content).toMatchObject({
    role: "user",
    origin: "human",
    blocks: [{ kind: "text", text }, image("image/png"), image("image/png")],
  });
  expect((await attachImages("see @limit.ts", folder)).content).toBe("see @limit.ts");
});

test("one that is not there or too large is said, and the words are sent without it", async () => {
  const { folder, put } = temporaryProject();
  put("large.png", Buffer.alloc(MAX_IMAGE_BYTES + 1));
  put("page.png", "<!DOCTYPE html>");
  const text = "see @none.png and @large.png and @page.png";
  const { content, problems } = await attachImages(text, folder);
  expect(content).toBe(text);
  expect(problems).toEqual([
    "Could not attach none.png: the file does not exist.",
    expect.stringMatching(/^Could not attach large\.png: it has 5242881 bytes, and the limit is 5242880/),
    "Could not attach page.png: the file is not a valid image/png.",
  ]);
});

test("a file that is dropped on the terminal is named, if it is an image", () => {
  expect(asNamedImage("/home/me/shot.png ")).toBe("@/home/me/shot.png");
  expect(asNamedImage("'/home/me/my shot.PNG'")).toBe('@"/home/me/my shot.PNG"');
  expect(asNamedImage("/home/me/my\\ shot.webp")).toBe('@"/home/me/my shot.webp"');
  for (const text of ["/home/me/notes.txt", "shot.png", "/a.png\n/b.png", "see /home/me/shot.png"]) {
    expect(asNamedImage(text), text).toBeUndefined();
  }
});

import { expect, test } from "vitest";
import { MAX_IMAGE_BYTES } from "../../extensions/files/image.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { attachFiles } from "./attach-files.ts";
import { asNamedImage } from "./update-prompt.ts";

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

test("images that are named are sent with the words, each once", async () => {
  const { folder, put } = temporaryProject({ "limit.ts": "" });
  put("a folder/shot.png", PNG);
  put("other.jpeg", PNG);
  const text = 'see @"a folder/shot.png" and @other.jpeg, again @other.jpeg, and @nobody; mail me@other.jpeg';
  const { content, problems } = await attachFiles(text, folder);
  const image = (mediaType: string) => ({
    kind: "image",
    source: { kind: "base64", mediaType, data: PNG.toString("base64") },
  });
  expect(problems).toEqual([]);
  expect(content).toMatchObject([
    {
      role: "user",
      origin: "human",
      blocks: [{ kind: "text", text }, image("image/png"), image("image/png")],
    },
  ]);
  expect((await attachFiles("see @nobody", folder)).content).toEqual(["see @nobody"]);
});

test("text files come with their lines, ranges of them too, and folders with their names, all of it as data", async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
  const { folder } = temporaryProject({ "src/a.ts": lines, "src/deep/b.ts": "", "odd:3": "a name" });
  const shown = async (text: string) => {
    const { content, problems } = await attachFiles(text, folder);
    expect(content[0]).toBe(text);
    return { problems, attached: content.slice(1) as readonly { blocks: readonly unknown[]; provenance: unknown }[] };
  };
  const { attached } = await shown("compare @src/a.ts:3-4, @src/a.ts#L30 and @src/");
  expect(attached).toMatchObject([
    {
      provenance: { kind: "outside", name: "@src/a.ts:3-4" },
      blocks: [{ text: expect.stringMatching(/^ *3\s+line 3\n *4\s+line 4\n/) }],
    },
    { blocks: [{ text: expect.stringMatching(/^ *30\s+line 30$/) }] },
    { blocks: [{ text: "a.ts\ndeep/" }] },
  ]);
  expect((await shown("@odd:3")).attached).toMatchObject([{ blocks: [{ text: expect.stringContaining("a name") }] }]);
  expect((await shown("see @src/none.ts and @src/a.ts:99")).problems).toEqual([
    "Could not attach src/none.ts: the file does not exist.",
    "Could not attach src/a.ts:99: it has only 30 lines.",
  ]);
});

test("one that is not there or too large is said, and the words are sent without it", async () => {
  const { folder, put } = temporaryProject();
  put("large.png", Buffer.alloc(MAX_IMAGE_BYTES + 1));
  put("page.png", "<!DOCTYPE html>");
  const text = "see @none.png and @large.png and @page.png";
  const { content, problems } = await attachFiles(text, folder);
  expect(content).toEqual([text]);
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

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_IMAGE_BYTES } from "../../extensions/files/image.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import { type AttachRules, attachFiles } from "./attach-files.ts";
import { asNamedImage } from "./update-prompt.ts";

async function attach(text: string, folder: string, rules: Partial<AttachRules> = {}) {
  const guard = await createPathGuard(folder);
  return attachFiles(text, { guard, isHidden: () => false, askOutside: async () => false, ...rules });
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

test("images that are named are sent with the words, each once", async () => {
  const { folder, put } = temporaryProject({ "limit.ts": "" });
  put("a folder/shot.png", PNG);
  put("other.jpeg", PNG);
  const text = 'see @"a folder/shot.png" and @other.jpeg, again @other.jpeg, and @nobody; mail me@other.jpeg';
  const { content, problems } = await attach(text, folder);
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
  expect((await attach("see @nobody", folder)).content).toEqual(["see @nobody"]);
});

test("text files come with their lines, ranges of them too, and folders with their names, all of it as data", async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
  const { folder } = temporaryProject({ "src/a.ts": lines, "src/deep/b.ts": "", "odd:3": "a name" });
  const shown = async (text: string) => {
    const { content, problems } = await attach(text, folder);
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
  const { content, problems } = await attach(text, folder);
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

test("asks before it attaches a file outside of the project, and says so if the user says no", async () => {
  const { folder, home, put } = temporaryProject();
  mkdirSync(join(home, ".aws"), { recursive: true });
  const secret = join(home, ".aws/credentials");
  writeFileSync(secret, "CANARY-7f3a");
  symlinkSync(secret, join(folder, "link.txt"));
  put("inside.txt", "mine");
  const asked: string[] = [];
  const answering = (answer: boolean) => ({
    askOutside: async (path: string) => {
      asked.push(path);
      return answer;
    },
  });
  const text = `see @${secret}, @link.txt and @inside.txt`;
  const no = await attach(text, folder, answering(false));
  expect(JSON.stringify(no.content)).not.toContain("CANARY");
  expect(no.problems).toEqual([secret, "link.txt"].map((name) => `Could not attach ${name}: you said no.`));
  expect(asked).toEqual([secret, secret]);
  const yes = await attach(text, folder, answering(true));
  expect(JSON.stringify(yes.content)).toContain("CANARY");
  expect(yes.problems).toEqual([]);
});

test("attaches nothing that a rule forbids to read, and asks no question about it", async () => {
  const { folder } = temporaryProject({ ".env": "CANARY" });
  const { content, problems } = await attach("see @.env", folder, {
    isHidden: (path) => path.endsWith(".env"),
    askOutside: () => Promise.reject(new Error("asked")),
  });
  expect(content).toEqual(["see @.env"]);
  expect(problems).toEqual(["Could not attach .env: a rule forbids to read it."]);
});

test.skipIf(process.platform === "win32")("reads no named pipe and no device", async () => {
  const { folder } = temporaryProject();
  execFileSync("mkfifo", [join(folder, "notes.txt")]);
  const { content, problems } = await attach("see @notes.txt and @/dev/zero", folder, { askOutside: async () => true });
  expect(content).toEqual(["see @notes.txt and @/dev/zero"]);
  expect(problems).toEqual([
    expect.stringMatching(/^Could not attach notes.txt: .* is no plain file/),
    expect.stringMatching(/^Could not attach \/dev\/zero: .* is no plain file/),
  ]);
});

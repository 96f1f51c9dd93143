import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { memoryStore } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openAgentSession } from "../../extension/open-agent-session.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { placesOf } from "../../workspace/places.ts";
import { notesExtension, notesFileOf } from "./notes-extension.ts";

async function setUp() {
  let updates = 0;
  const script = ({ userText }: { readonly userText: string }) =>
    answer(
      userText.includes("<session-notes>")
        ? `<session-notes>\n<notes-section heading="Current state">\nVersion ${++updates}.\n</notes-section>\n</session-notes>`
        : "Done.",
    );
  const server = await serve({ faces: [createAnthropic({ script })] });
  onTestFinished(() => server.close());
  const { folder, home } = temporaryProject();
  const places = placesOf(folder, { HOME: home });
  const sessionFolder = places.folderOf("s");
  const notices: string[] = [];
  const store = memoryStore();
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
  const open = async () => {
    const extension = await notesExtension({ places, sessionFolder, notify: (text) => notices.push(text) });
    const { notes } = extension;
    const session = await openAgentSession({ store, provider, model: "claude-sonnet-5-5", id: "s", notes });
    await extension.begin!(session);
    return { extension, session };
  };
  return { open, file: notesFileOf(sessionFolder), sessionFolder, notices };
}

test("writes the newest version to the file, even after a rewind, a loss or a change to the file", async () => {
  const { open, file, notices } = await setUp();
  const { session, extension } = await open();
  const text = (): string => readFileSync(file, "utf8");
  await session.append("Hello");
  const before = session.history.newestEntry;
  expect(existsSync(file)).toBe(false);
  await session.notes.update();
  expect(text()).toBe(await session.notes.read());
  const first = session.history.newestEntry;
  await session.append("Go on");
  await session.notes.update();
  expect(text()).toContain("Version 2.");
  await session.history.rewind(first);
  await extension.afterTurn!(session);
  expect(text()).toContain("Version 1.");
  await session.close();

  const again = await open();
  expect(text()).toContain("Version 1.");
  await again.session.history.rewind(before);
  await again.extension.afterTurn!(again.session);
  expect(existsSync(file)).toBe(false);
  expect(notices).toEqual([]);
  await again.session.close();
});

test("reports a file that cannot be written once, and keeps the notes in the log", async () => {
  const { open, sessionFolder, notices } = await setUp();
  const { session } = await open();
  // A file at the folder's path makes the write fail, even for root.
  mkdirSync(dirname(sessionFolder), { recursive: true });
  writeFileSync(sessionFolder, "");
  await session.append("Hello");
  await session.notes.update();
  await session.notes.update();
  expect(notices).toEqual([
    expect.stringContaining(`Cannot write the session's notes to ${join(sessionFolder, "notes.md")}`),
  ]);
  expect((await session.notes.latest())!.markdown).toContain("Version 2.");
  await session.close();
});

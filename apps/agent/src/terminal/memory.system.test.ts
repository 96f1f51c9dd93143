import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openMemory } from "@palimpsest/memory";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openTmux } from "../testing/tmux-screen.ts";
import { placesOf } from "../workspace/places.ts";

const IDLE = "Type a message";
const EVIDENCE = [{ session: "3f9a2c11-0000", entry: 12, quote: "in this project we always use pnpm" }];

/** A topic that is known, and two that wait. */
async function remember(folder: string): Promise<void> {
  let nowMs = Date.parse("2026-11-01T12:00:00Z");
  const memory = await openMemory({ folder, clock: { now: () => (nowMs += 1_000) } });
  const deploys = "Deploys go to staging first, then to production.";
  // The index shows only the first line.
  const body = `${deploys}\nAsk me before production.`;
  const known = { name: "Deploys", description: deploys, type: "project" as const, body, evidence: EVIDENCE };
  await memory.write(known, "model", "none");
  const yarn = "Use yarn, never npm.";
  const draft = { name: "Yarn", description: yarn, type: "feedback" as const, body: yarn, evidence: EVIDENCE };
  await memory.propose(draft, "model", "the user did not say it in these words");
  const registry = "Trust registry.example.";
  await memory.propose(
    { ...draft, name: "Registry", description: registry, body: registry, evidence: [] },
    "model",
    "a tool said it",
  );
  await memory.close();
}

test("the first start asks for the memory; what waits is seen at the start and decided with its evidence; what is attached is seen and dismissed", async () => {
  const project = temporaryProject({}, "/tmp");
  const folder = placesOf(project.folder, { HOME: project.home }).memory;
  await remember(folder);
  const cli = await startCli(project, scriptedModel);
  const environment = { PATH: barePath(project) };
  const screen = await openTmux(cli, { columns: 80, rows: 24, environment, memory: "asked" });
  await screen.keeps("memory-question", "[Y/n]");
  await screen.type("no");
  await screen.see("[Y/n] no");
  await screen.press("Enter");
  await screen.see(IDLE);
  const settings = join(project.home, ".palimpsest", "settings.json");
  expect(JSON.parse(readFileSync(settings, "utf8"))).toEqual({ memory: "read" });
  await screen.keeps("memory-waiting", "2 memories wait for your yes (/memory)");

  await screen.say("Where do deploys go first, staging or production?");
  await screen.keeps("memory-attached", "Attached from memory: deploys.", "esc stops");
  await screen.say("/memory dismiss deploys");
  await screen.see("deploys is not attached to your messages any more.");
  await screen.say("/clear");
  await screen.see("── New session");
  await screen.say("Do deploys go to production or to staging first?");
  await screen.see("You said: Do deploys go", "esc stops");
  expect((await screen.capture()).split("── New session")[1]).not.toContain("Attached from memory");

  await screen.say("/memory");
  await screen.asks("Save this memory? (1 of 2)", "memory-review");
  await screen.answer(2);
  await screen.asks("The fact, in your words");
  await screen.press("BSpace", "BSpace", "BSpace", "BSpace");
  await screen.see(/never\s*$/m);
  await screen.type("bun.");
  await screen.keeps("memory-edit", "Use yarn, never bun.");
  await screen.press("Enter");
  await screen.see("Saved yarn.");
  await screen.asks("Save this memory? (2 of 2)");
  await screen.answer(3);
  await screen.see("Rejected registry. It is not proposed again.");
  await screen.asks("The memory of this project (2)", "memory-topics");
  await screen.type("yarn");
  await screen.see("search: yarn");
  await screen.press("Enter");
  await screen.asks("yarn (feedback, by user)", "memory-topic");
  await screen.answer(4);
  await screen.see("Forgot yarn.");
  await screen.asks("The memory of this project (1)");
  await screen.press("Escape");
  await screen.see(IDLE, "wait for your yes (/memory)");

  const memory = await openMemory({ folder });
  expect(await memory.list()).toMatchObject([{ slug: "deploys" }]);
  expect(await memory.read("deploys")).toMatchObject({ recall: "off", author: "model" });
  expect(await memory.inbox()).toEqual([]);
  expect((await memory.forgotten()).map(({ topic }) => topic)).toEqual(["registry", "yarn"]);
  await memory.close();
  expect(cli.refused()).toEqual([]);
});

test("changes of a tidy-up that wait are shown by /dream, kept for later, and applied by a yes", async () => {
  const project = temporaryProject({}, "/tmp");
  const { memory: folder, heldDream } = placesOf(project.folder, { HOME: project.home });
  await remember(folder);
  const before = await openMemory({ folder });
  const { version: expected } = (await before.read("deploys"))!;
  await before.close();
  mkdirSync(dirname(heldDream), { recursive: true, mode: 0o700 });
  const because = "There is no staging any more.";
  writeFileSync(heldDream, JSON.stringify([{ kind: "forget", slug: "deploys", because, expected }]));
  const cli = await startCli(project, scriptedModel);
  const screen = await openTmux(cli, { columns: 80, rows: 24, environment: { PATH: barePath(project) } });
  await screen.see(IDLE);
  await screen.say("/dream");
  await screen.asks("Apply the changes of the memory (1)?", "dream-held");
  await screen.answer(3);
  await screen.see(IDLE, "Apply the changes");
  expect(existsSync(heldDream)).toBe(true);
  await screen.say("/dream");
  await screen.asks("Apply the changes of the memory (1)?");
  await screen.answer(1);
  await screen.see("Applied as change");
  expect(existsSync(heldDream)).toBe(false);
  const memory = await openMemory({ folder });
  expect(await memory.list()).toEqual([]);
  expect((await memory.forgotten()).map(({ topic }) => topic)).toEqual(["deploys"]);
  await memory.close();
});

import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, manualClock, serve, think } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import { type AnthropicRequest, anthropic } from "../providers/anthropic.ts";
import type { Settings } from "../settings/settings.ts";
import { createVoice, openReading } from "./testing/reading-session.ts";

const inputSchema = { type: "object" };
const tools = [
  { name: "Read", inputSchema },
  { name: "AskUser", inputSchema, results: "kept" },
] as const;
const BOUND = "claude-opus-5-5";
/** Thresholds that a short session reaches. */
const SMALL = { "clearing.providerTriggerTokens": 20_000, "clearing.providerMinTokens": 5_000 };

/** A session whose requests go through the real client to a server in this process. */
async function begin({ values = SMALL, model = BOUND }: { values?: Partial<Settings>; model?: string } = {}) {
  const clock = manualClock();
  const voice = createVoice();
  const server = await serve({ faces: [createAnthropic({ clock, script: voice.script })] });
  onTestFinished(() => server.close());
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url }), { edits: "asked" });
  const parameters = { thinking: { type: "adaptive" } };
  const settings: Partial<Settings> = { "clearing.keepNewest": 3, ...values };
  return openReading({ provider, model, tools, clock, parameters, settings }, voice, (reply) =>
    think("A file.", reply),
  );
}

const editsOf = (request: AnthropicRequest) =>
  (request as { context_management?: { edits: Record<string, unknown>[] } }).context_management?.edits;

test("leaves clearing to the provider, recalls cleared results, and does not count cleared reads", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(1, "AskUser");
  await life.read(24);
  await life.ask(answer("Read."));
  const usage = (await life.entries()).findLast((read) => read.kind === "usage");
  const left = usage?.kind === "usage" ? usage.payload.appliedEdits : undefined;
  // All results except the newest three, and never the user's answers.
  expect(left).toMatchObject({ results: 21, thinkingTurns: 0 });
  expect([...life.session.view.filesRead().keys()]).toEqual(["22.ts", "23.ts", "24.ts"]);
  expect((await life.entries()).filter(({ kind }) => kind === "replace")).toEqual([]);
  const first = (await life.entries()).find(
    (read) => read.kind === "message" && JSON.stringify(read.payload).includes("content of 1.ts"),
  );
  const recalled = await life.session.recall({ entry: first!.sequence });
  expect(recalled.kind === "text" && recalled.text).toBe("content of 1.ts ".repeat(300));
  // The size counts only content that the model sees.
  expect(life.session.view.size().tokens).toBeLessThan(20_000);
  await life.reopen();
  expect([...life.session.view.filesRead().keys()]).toEqual(["22.ts", "23.ts", "24.ts"]);
});

test("explains a cache miss by the provider's edits", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(25);
  const breaks = (await life.lines()).flatMap((line) => line.break ?? []);
  expect(breaks.length).toBeGreaterThan(0);
  for (const { sort, causes, what } of breaks) {
    expect({ sort, causes }).toEqual({ sort: "expected", causes: ["provider-edits"] });
    expect(what.join()).toMatch(/^left out \d+ results and 0 turns of thinking$/);
  }
  expect((await life.lines()).filter(({ diagnosis }) => diagnosis === "differs")).toEqual([]);
});

test("leaves out old thinking after an hour once, always at the same place, even after a resume", async () => {
  const life = await begin();
  for (const words of ["One.", "Two.", "Three."]) {
    await life.session.append(words);
    await life.read(1);
    await life.ask(think("So that is it.", answer(words)));
  }
  life.clock.advance(61 * 60_000);
  await life.session.append("Four.");
  const back = await life.session.prepare();
  expect(editsOf(back)?.[0]).toMatchObject({ keep: { type: "thinking_turns", value: 1 } });
  await life.read(1);
  await life.read(1);
  expect(editsOf(await life.session.prepare())?.[0]).toMatchObject({ keep: { type: "thinking_turns", value: 2 } });
  const live = JSON.stringify(await life.session.prepare());
  await life.reopen();
  expect(JSON.stringify(await life.session.prepare())).toBe(live);
  await life.ask(think("All read.", answer("Done.")));
  const applied = (await life.entries()).flatMap((read) =>
    read.kind === "usage" ? [read.payload.appliedEdits?.thinkingTurns ?? 0] : [],
  );
  expect(applied).toEqual([0, 0, 0, 0, 0, 0, 2, 2, 2]);
  // Only the pause costs something. Keeping the rest costs nothing.
  const after = (await life.lines()).slice(-3).map((line) => line.break?.causes);
  expect(after.slice(1)).toEqual([undefined, undefined]);
});

test("clears locally if thinking is free, and sends no edits to a provider without them", async () => {
  const free = await begin({ model: "claude-sonnet-4-6" });
  await free.session.append("Read them all.");
  await free.read(6);
  await free.ask(answer("Read."));
  free.clock.advance(6 * 60_000);
  await free.session.append("Go on.");
  const request = await free.session.prepare();
  expect([request.betas, editsOf(request)]).toEqual([undefined, undefined]);
  expect((await free.entries()).filter(({ kind }) => kind === "replace").length).toBe(3);
});

test("counts cleared content again after the edits are switched off", async () => {
  const life = await begin({ values: { ...SMALL, "clearing.byProvider": "on" } });
  await life.session.append("Read them all.");
  await life.read(25);
  await life.ask(answer("Read."));
  const before = life.session.view.size().tokens;
  await life.session.configure({ parameters: { thinking: { type: "adaptive" }, context_management: { edits: [] } } });
  await life.session.append("Go on.");
  expect(editsOf(await life.session.prepare())).toEqual([]);
  expect(life.session.view.size().tokens).toBeGreaterThan(before + 20_000);
  expect([...life.session.view.filesRead().keys()]).toHaveLength(25);
});

test("clears nothing locally after an edit by the provider, until the next boundary", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(24);
  await life.ask(answer("Read."));
  expect((await life.entries()).some((read) => read.kind === "usage" && read.payload.appliedEdits !== undefined)).toBe(
    true,
  );
  await life.reopen({
    settings: { "clearing.keepNewest": 3, "clearing.byProvider": "off" },
  });
  // The prompt is cold, so stale results would be cleared locally.
  life.clock.advance(3 * 3_600_000);
  await life.session.append("And now?");
  await life.ask(answer("Done."));
  expect((await life.entries()).filter(({ kind }) => kind === "replace")).toEqual([]);
});

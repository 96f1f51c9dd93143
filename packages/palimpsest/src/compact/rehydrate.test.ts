import { expect, test } from "vitest";
import type { AttachmentPayload } from "../log/payload.ts";
import type { Surroundings } from "../state/host-content.ts";
import type { Evidence } from "./evidence/state.ts";
import { type RehydrateOptions, rehydrate } from "./rehydrate.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);
const ROOM = {
  summary: 0,
  userMessages: 0,
  evidence: 0,
  quotedLines: 0,
  latestResults: 0,
  files: 2_000,
  skills: 500,
  surroundings: 1_000,
};
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `Step ${at + 1} of it`).join("\n");
const textOf = ({ blocks: [block] }: AttachmentPayload): string => (block?.kind === "text" ? block.text : "");

const EVIDENCE: Evidence = {
  version: 1,
  newest: 100,
  round: 50,
  commands: [],
  errors: [],
  rules: [],
  facts: [],
  lines: [],
  open: [],
  files: ["a.ts", "b.ts", "c.ts"].map((path) => ({
    path,
    reads: 1,
    edits: 0,
    readEntry: 1,
    ranges: [],
    round: 49,
    weight: 1,
  })),
};

function options(surroundings: Surroundings, room: Partial<typeof ROOM> = {}): RehydrateOptions {
  return {
    surroundings,
    countTokens,
    fileTokens: 1_000,
    skillTokens: 400,
    evidence: EVIDENCE,
    newestTexts: [],
    shownFiles: new Set<string>(),
    room: { ...ROOM, ...room },
  };
}

test("a plan is put back whole where files and skills leave room for it", async () => {
  const plan = lines(900);
  expect(countTokens(plan)).toBeGreaterThan(ROOM.surroundings);
  const { attachments, parts } = await rehydrate(options({ plan: async () => plan }));
  expect(attachments.map(textOf)).toEqual([`The plan, as it stands:\n${plan}`]);
  expect(parts).toMatchObject([{ type: "plan", shown: "whole" }]);
});

test("a plan that is too large is cut with a mark that says where the rest is, and the record says how much is shown", async () => {
  const text = lines(9_000);
  const { attachments, parts } = await rehydrate(options({ plan: async () => ({ text, path: "/s/plan.md" }) }));
  const shown = textOf(attachments[0]!);
  expect(shown).toMatch(/\[\d+ characters more are left out here: read them in \/s\/plan\.md\]/);
  expect(shown).toContain("Step 1 of it");
  expect(shown).toContain("Step 9000 of it");
  const [part] = parts;
  expect(part).toMatchObject({ type: "plan", shown: "cut", why: "there was room for 3500 tokens" });
  expect(part!.tokens).toBe(countTokens(shown));
  expect(part!.tokens).toBeLessThanOrEqual(3_500);
  expect(part!.tokens).toBeGreaterThan(2_500);
});

test("what has no room at all is named as left out", async () => {
  const none = { files: 0, skills: 0, surroundings: 50 };
  const host: Surroundings = {
    plan: async () => lines(900),
    skills: async () => [{ name: "deploy", text: lines(90) }],
  };
  const { attachments, parts } = await rehydrate(options(host, none));
  expect(attachments).toEqual([]);
  expect(parts).toMatchObject([
    { type: "skill", name: "deploy", shown: "left-out", tokens: 0 },
    { type: "plan", shown: "left-out", tokens: 0, why: "there was room for 50 tokens" },
  ]);
});

test("every file is named: whole, in part, without room, or not to be read", async () => {
  const contents: Readonly<Record<string, string>> = { "a.ts": lines(50), "b.ts": lines(4_000) };
  const { parts } = await rehydrate(options({ readFile: async (path) => contents[path] }));
  const files = new Map(parts.map(({ name, shown, why }) => [name, [shown, why]]));
  expect(files.get("a.ts")).toEqual(["whole", undefined]);
  expect(files.get("b.ts")![0]).not.toBe("whole");
  expect(files.get("c.ts")).toEqual(["left-out", "it could not be read"]);
});

test("what the host knows comes back in one order, each under its own heading and with its source", async () => {
  const host: Surroundings = {
    toolInstructions: async () => "Use them well.",
    tools: async () => "look, read",
    planMode: async () => "Not yet decided.",
    plan: async () => "Rename the loader.",
    skills: async () => [{ name: "deploy", text: "Push it." }],
  };
  const { attachments, parts } = await rehydrate(options(host));
  expect(attachments.map(({ type, provenance }) => [type, provenance?.kind])).toEqual([
    ["skill", "project"],
    ["plan", "model"],
    ["plan-mode", "host"],
    ["tools", "tool"],
    ["tool-instructions", "tool"],
  ]);
  for (const shown of attachments.map(textOf)) expect(shown).toMatch(/^\S.*:\n\S/);
  expect(new Set(attachments.map((one) => textOf(one).split("\n")[0])).size).toBe(5);
  const named = parts.map((part) => ("name" in part ? (part.name ?? "-") : "-"));
  expect(named).toEqual(["deploy", "-", "-", "-", "-"]);
});

test("a host that fails, or has only white space, puts nothing back", async () => {
  const fails = async () => Promise.reject(new Error("gone"));
  const host: Surroundings = { plan: fails, skills: fails, readFile: fails, tools: async () => " \n" };
  const { attachments, files } = await rehydrate(options(host));
  expect(attachments).toEqual([]);
  expect(files).toEqual({ putBack: 0, skipped: 0, failed: 3 });
});

test("a file that is shown still is not put back", async () => {
  const read: string[] = [];
  const readFile = async (path: string) => {
    read.push(path);
    return lines(20);
  };
  const { attachments, files } = await rehydrate({ ...options({ readFile }), shownFiles: new Set(["b.ts"]) });
  expect(read.toSorted()).toEqual(["a.ts", "c.ts"]);
  expect(
    attachments
      .map(textOf)
      .map((text) => text.split(",")[0])
      .toSorted(),
  ).toEqual(["a.ts", "c.ts"]);
  expect(files).toEqual({ putBack: 2, skipped: 0, failed: 0 });
});

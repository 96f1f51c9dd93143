import { describe, expect, test } from "vitest";
import type { SummaryAsk } from "../../policy/policy.ts";
import { CODING_SECTIONS, codingSummary, native, prose, sections, written } from "./forms.ts";
import { UNVERIFIED } from "./paths.ts";

const ASK: SummaryAsk = { part: "all", instructions: "", sourceTokens: 50_000, isKnown: (text) => text === "src/a.ts" };
const TICKET = { Customer: "Who it is.", Promised: "What we promised, and by when." };
const ofCoding = (said = "Something."): string =>
  Object.keys(CODING_SECTIONS)
    .map((title, index) => `## ${index + 1}. ${title}\n${said}`)
    .join("\n");

describe("a form with sections", () => {
  test("asks for its headings with their numbers", () => {
    const prompt = sections(TICKET).prompt(ASK);
    expect(prompt).toContain("in these two sections");
    expect(prompt).toContain("1. Customer: Who it is.\n2. Promised: What we promised, and by when.");
  });

  test("asks only for the sections that are missing", () => {
    const verdict = sections(TICKET).check("## 1. Customer\nAnn.", ASK);
    expect(verdict).toMatchObject({ kind: "repair", ask: expect.stringContaining("2. Promised:") });
    expect(verdict).toMatchObject({ ask: expect.not.stringContaining("1. Customer:") });
    expect(sections(TICKET).check("## Customer\nAnn.\n## Promised\nA refund.", ASK)).toEqual({ kind: "ok" });
  });

  test("lets sections be missing that are not required", () => {
    const form = sections(TICKET, { required: ["Promised"] });
    expect(form.check("## 2. Promised\nA refund.", ASK)).toEqual({ kind: "ok" });
    expect(form.check("## 1. Customer\nAnn.", ASK).kind).toBe("repair");
  });

  test("asks for headings and its own check in one question", () => {
    const form = sections(TICKET, { check: (text) => (text.includes("ORD-") ? "ok" : "Name the order.") });
    expect(form.check("## 1. Customer\nAnn.", ASK)).toMatchObject({
      ask: expect.stringMatching(/Promised[\s\S]+order/),
    });
    expect(form.check("## 1. Customer\nAnn.\n## 2. Promised\nORD-1", ASK)).toEqual({ kind: "ok" });
  });
});

test("a form in prose accepts every text, or what its check accepts", () => {
  expect(prose("Who the customer is.").check("Ann.", ASK)).toEqual({ kind: "ok" });
  const form = prose("Who the customer is.", { check: () => "Name the order.", maxTokens: 1_500, ifUnmet: "refuse" });
  expect(form.check("Ann.", ASK)).toEqual({ kind: "repair", ask: "Name the order." });
  expect(form).toMatchObject({ maxTokens: 1_500, ifUnmet: "refuse", params: { ask: "Who the customer is." } });
  expect(form.prompt(ASK)).toContain("Who the customer is.");
});

test("a function and a provider name the form that takes their place", () => {
  const otherwise = prose("All of it.");
  expect(written("ours", async () => "x")).toMatchObject({
    kind: "function",
    timeoutMs: 120_000,
    otherwise: undefined,
  });
  expect(written("ours", async () => "x", { timeoutMs: 9, otherwise })).toMatchObject({ timeoutMs: 9, otherwise });
  expect(native({ otherwise })).toMatchObject({ kind: "native", otherwise });
});

describe("the summary of the coding agent", () => {
  test("has nine sections, and others where newer messages follow", () => {
    const whole = codingSummary().prompt(ASK);
    expect(whole).toContain("in these nine sections");
    expect(whole).toContain("\n8. Current work: ");
    const before = codingSummary().prompt({ ...ASK, part: "before" });
    expect(before).toContain("\n8. Work completed: ");
    expect(before).toContain("\n9. Context for continuing work: ");
    expect(before).not.toContain("Optional next step");
  });

  test("asks for the right path of files that did not occur, unless they are marked", () => {
    const form = codingSummary();
    expect(form.check(ofCoding("Changed src/a.ts."), ASK)).toEqual({ kind: "ok" });
    expect(form.check(ofCoding("Changed lib/b.ts."), ASK)).toMatchObject({
      kind: "repair",
      ask: expect.stringContaining("- lib/b.ts"),
    });
    expect(form.check(ofCoding(`Changed lib/b.ts${UNVERIFIED}.`), ASK)).toEqual({ kind: "ok" });
  });
});

import { describe, expect, it } from "vitest";
import type { PromptEntry } from "../prompt.ts";
import { dropFromFront } from "./drop-from-front.ts";

const entry = (speaker: PromptEntry["speaker"], more: Partial<PromptEntry> = {}): PromptEntry => ({
  speaker,
  text: "",
  blocks: [],
  tokens: 10,
  ...more,
});
const instructions = entry("instructions");
const call = entry("assistant", { calls: ["a"] });
const result = entry("tool", { resultOf: "a" });
const newest = entry("user");

describe("dropping from the front", () => {
  it("keeps everything that already fits", () => {
    const entries = [entry("user"), newest];
    expect(dropFromFront(entries, 0)).toEqual(entries);
  });

  it("keeps instructions and the newest entry", () => {
    expect(dropFromFront([instructions, entry("user"), entry("assistant"), newest], 5)).toEqual([instructions, newest]);
  });

  it("takes a result along with its call", () => {
    expect(dropFromFront([entry("user"), call, result, newest], 11)).toEqual([newest]);
  });

  it("gives up if nothing could stay", () => {
    expect(dropFromFront([entry("user"), newest], 15)).toBeUndefined();
    expect(dropFromFront([instructions], 15)).toBeUndefined();
  });
});

import { expect, test } from "vitest";
import { joinTexts } from "./join-texts.ts";
import { answer, callTool, think } from "./script.ts";

test("texts run together where the first one stands; all else keeps its place", () => {
  const call = callTool("read", {});
  const { words } = think("Hm.", answer("one "));
  expect(joinTexts([...words, call, ...answer("two").words])).toEqual([...think("Hm.", answer("one two")).words, call]);
  expect(joinTexts([call])).toEqual([call]);
});

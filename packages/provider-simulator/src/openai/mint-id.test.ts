import { expect, it } from "vitest";
import { createIdMint } from "./mint-id.ts";

it("mints the same ids in the same order, never one twice", () => {
  const [one, other] = [createIdMint(), createIdMint()];
  const ids = Array.from({ length: 100 }, () => one("call"));
  expect(Array.from({ length: 100 }, () => other("call"))).toEqual(ids);
  expect(new Set(ids).size).toBe(100);
  expect(ids[0]).toMatch(/^call_[A-Za-z0-9]{24}$/);
  expect(one("chatcmpl")).toMatch(/^chatcmpl-/);
});

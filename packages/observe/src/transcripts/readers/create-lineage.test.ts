import { describe, expect, test } from "vitest";
import { createLineage } from "./create-lineage.ts";

describe("createLineage", () => {
  test("finds the nearest entry that is handed on", () => {
    const lineage = createLineage();
    lineage.skip("b", "a");
    lineage.skip("c", "b");
    expect(["a", "b", "c", "d", undefined].map(lineage.resolve)).toEqual(["a", "a", "a", "d", undefined]);
    expect(["a", "b", "c"].map(lineage.isSkipped)).toEqual([false, true, true]);
  });

  test("finds none above an entry left out at the root", () => {
    const lineage = createLineage();
    lineage.skip("a", undefined);
    expect(lineage.resolve("a")).toBeUndefined();
  });
});

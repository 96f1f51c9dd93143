import { expect, test } from "vitest";
import { packSegment } from "./pack-segments.ts";

test("a segment becomes a row without what the page does not show", () => {
  const segment = { from: 0, to: 12, bytes: 12, place: "human", entry: 3, tokens: 4 };
  expect(packSegment(segment)).toEqual([0, 12, "human", null, 3, null, 4]);
  const priced = {
    ...segment,
    name: "look",
    countedTokens: 11.480784253,
    cachedTokens: 0,
    usd: 3.4442352e-6,
    mark: "end",
  };
  expect(packSegment(priced)).toEqual([0, 12, "human", "look", 3, null, 4, 11.4808, 0, 3.44424e-6, "end"]);
});

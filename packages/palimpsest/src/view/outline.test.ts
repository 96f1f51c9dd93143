import { expect, test } from "vitest";
import { startCalibration } from "../size/calibration.ts";
import { messageItem } from "./items.ts";
import { createView, outline } from "./view.ts";

const said = (at: number) =>
  messageItem(at, { role: "user", origin: "human", blocks: [{ kind: "text", text: `${at}` }] });

test("a view that was read from an outline has the same one: a break at the beginning of a run divides nothing", () => {
  const runs = [
    { from: 2, to: 4 },
    { from: 8, to: 9 },
  ];
  const view = createView(startCalibration());
  view.items.push(...[2, 3, 4, 8, 9].map(said));
  view.breaks = runs.flatMap(({ from, to }) => [from, to + 1]);
  expect(outline(view)).toEqual(runs);
});

import { expect, test } from "vitest";
import type { PolicyFigures } from "./figures.ts";
import { economicsPicture } from "./page.ts";

const policy = (cost_ratio: number, needs_lost: number): PolicyFigures => ({
  ...{ cost_ratio, cost_ratio_interval: [cost_ratio, cost_ratio], needs_lost, needs_lost_per_compaction: 1 },
  ...{ strict_needs_pct: 98, compactions: 1, dear_stops_pct: 0, edit_lines_unmet_pct: 0 },
  ...{ waiting_s_per_message: 0, waiting_in_all_s_per_message: 0 },
});

test("the picture has a point for each policy, and a line through those that no other beats", () => {
  const picture = economicsPicture({
    frontier: {
      sessions: 2,
      ours: { balanced: policy(0.9, 100), economy: policy(0.8, 200), worse: policy(0.9, 300) },
      others: { append_only: policy(1, 400), far_too_dear: policy(3, 10) },
    },
  });
  const names = Array.from(picture.matchAll(/>([a-z-]+)<\/text>/g), ([, name]) => name);
  expect(names).toEqual(["append-only", "economy", "balanced", "worse"]);
  const [others, ours] = Array.from(picture.matchAll(/points="([^"]*)"/g), ([, points]) => points!.split(" ").length);
  expect({ others, ours }).toEqual({ others: 1, ours: 2 });
});

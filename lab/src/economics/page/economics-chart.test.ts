import { expect, test } from "vitest";
import { economicsChart } from "./economics-chart.ts";

test("a point and a label for each policy, cheaper is lower, more needs met is further right, no label on another", () => {
  const svg = economicsChart([
    {
      title: "200K/0.1/5m",
      points: [
        { policy: "dear", costRatio: 1, needsMetPercent: 98, by: "others" },
        { policy: "alike", costRatio: 1, needsMetPercent: 97, by: "others" },
        { policy: "cheap", costRatio: 0.8, needsMetPercent: 99, by: "us" },
      ],
    },
  ]);
  const circles = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
  const labels = [...svg.matchAll(/y="([\d.]+)" fill="[^"]+">(dear|alike|cheap)</g)].map(([, y]) => Number(y));
  const [[dearX, dearY], , [cheapX, cheapY]] = circles as [number[], number[], number[]];
  expect(circles).toHaveLength(3);
  expect(cheapY).toBeGreaterThan(dearY!);
  expect(cheapX).toBeGreaterThan(dearX!);
  for (const [index, y] of labels.slice(1).entries()) expect(y - labels[index]!).toBeGreaterThanOrEqual(13);
});

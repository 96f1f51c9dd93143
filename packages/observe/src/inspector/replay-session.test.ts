import { expect, test } from "vitest";
import { readTranscript } from "../transcripts/readers/read-transcript.ts";
import type { RecordedEntry } from "../transcripts/readers/recorded.ts";
import { type ReplayReport, replaySession } from "./replay-session.ts";

const PATH = "examples/transcripts/sums.jsonl";

test("a replay reports each request of each policy before its figures", async () => {
  const entries: RecordedEntry[] = [];
  for await (const entry of readTranscript({ path: PATH })) entries.push(entry);
  const policies = ["append-only", "balanced"];
  const reports: ReplayReport[] = [];
  const order = { entries, policies, model: "claude-sonnet-4-6", cacheTtl: "5m" } as const;
  await replaySession(order, (report) => reports.push(report), new AbortController().signal);
  const requests = 5;
  const told = (policy: string, done: number): unknown[] => [
    ...Array.from({ length: requests + 1 }, (_, request) => ({
      kind: "progress",
      ...{ policy, done, of: policies.length, request, requests },
    })),
    { kind: "figures", policy, figures: expect.objectContaining({ requests: expect.anything() }) },
  ];
  expect(reports).toEqual([...told("append-only", 0), ...told("balanced", 1), { kind: "done" }]);
});

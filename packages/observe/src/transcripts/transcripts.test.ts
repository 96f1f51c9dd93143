import { expect, test } from "vitest";
import * as names from "../index.ts";

test("the package has these names", () => {
  expect(Object.keys(names).sort()).toEqual([
    "DEFAULT_READ_LINES",
    "RECORDED_AGENTS",
    "SeveralSessionsError",
    "UnknownTranscriptError",
    "describeTranscript",
    "findAgentTranscripts",
    "findTranscripts",
    "importSession",
    "isOfFolder",
    "readClaudeCode",
    "readCodex",
    "readLines",
    "readPi",
    "readTranscript",
  ]);
});

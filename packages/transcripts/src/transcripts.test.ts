import { expect, test } from "vitest";
import * as names from "./index.ts";

test("the package has these names", () => {
  expect(Object.keys(names).sort()).toEqual([
    "DEFAULT_READ_LINES",
    "RECORDED_AGENTS",
    "SeveralSessionsError",
    "UnknownTranscriptError",
    "findAgentTranscripts",
    "findTranscripts",
    "importSession",
    "readClaudeCode",
    "readCodex",
    "readLines",
    "readPi",
    "readTranscript",
  ]);
});

import { expect, test } from "vitest";
import * as names from "./transcripts.ts";

test("palimpsest/import has these names", () => {
  expect(Object.keys(names).sort()).toEqual([
    "DEFAULT_READ_LINES",
    "RECORDED_AGENTS",
    "SeveralSessionsError",
    "UnknownTranscriptError",
    "findAgentTranscripts",
    "findTranscripts",
    "readClaudeCode",
    "readCodex",
    "readLines",
    "readPi",
    "readTranscript",
  ]);
});

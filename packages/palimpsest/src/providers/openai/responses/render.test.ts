import { expect, test } from "vitest";
import type { ResponsesRequest } from "../facts.ts";
import { renderCompaction } from "./render.ts";

const said = { type: "message", role: "user", content: "Hi" } as const;
const request = (fields: object): ResponsesRequest => ({ model: "gpt-6-sol", input: [said], ...fields });

test("adds a compaction trigger and removes fields that only shape an answer", () => {
  const shaped = request({
    tool_choice: "required",
    context_management: [{ type: "compaction", compact_threshold: 9 }],
    text: { format: { type: "json_object" }, verbosity: "low" },
  });
  expect(renderCompaction(shaped)).toEqual({
    ...request({ text: { verbosity: "low" } }),
    input: [said, { type: "compaction_trigger" }],
  });
  expect(renderCompaction(request({ tool_choice: "auto" }))).toMatchObject({ tool_choice: "auto" });
});

test("returns undefined with instructions", () => {
  expect(renderCompaction(request({}), { instructions: "Mind the loader." })).toBeUndefined();
});

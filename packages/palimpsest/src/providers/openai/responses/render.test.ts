import { expect, test } from "vitest";
import type { ResponsesRequest } from "../facts.ts";
import { renderCompaction } from "./render.ts";

const said = { type: "message", role: "user", content: "Hi" } as const;
const request = (fields: object): ResponsesRequest => ({ model: "gpt-6-sol", input: [said], ...fields });

test("a trigger at the end asks for it, without what only shapes an answer", () => {
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

test("nothing can be said to it", () => {
  expect(renderCompaction(request({}), { instructions: "Mind the loader." })).toBeUndefined();
});

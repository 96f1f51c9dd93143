import { expect, test } from "vitest";
import {
  attachment,
  commandOutput,
  headAttachment,
  headInPlace,
  headText,
  notice,
  toolResult,
  user,
} from "./messages.ts";

const text = (words: string) => ({ kind: "text", text: words }) as const;

test("sets the author and the audience of each kind of content", () => {
  expect(user("Hello.")).toEqual({ role: "user", origin: "human", blocks: [text("Hello.")] });
  expect(commandOutput("total 0")).toMatchObject({ role: "user", origin: "command", provenance: { kind: "tool" } });
  expect(notice("Saved.")).toMatchObject({ origin: "host", audience: "user", blocks: [text("Saved.")] });
  const result = { kind: "tool_result", callId: "a", content: "A tree.", status: "ok" };
  expect(toolResult("a", "A tree.")).toEqual({ role: "user", origin: "tool", blocks: [result] });
  expect(toolResult("a", "No.", "error").blocks).toMatchObject([{ status: "error" }]);
});

test("makes a streamed result whose status is read at the end", () => {
  async function* chunks() {
    yield "A tree.";
  }
  const coming = chunks();
  const status = () => "error" as const;
  expect(toolResult("a", coming, status)).toEqual({ callId: "a", chunks: coming, status });
  expect(toolResult("a", coming)).toMatchObject({ status: "ok" });
});

test("makes an attachment data from outside by default, and the host content the host's own words", () => {
  expect(attachment("note", "Mind.")).toMatchObject({ type: "note", provenance: { kind: "outside" } });
  expect(attachment("note", "Mind.", { kind: "host" })).toMatchObject({ provenance: { kind: "host" } });
  expect(headAttachment("Mind.")).toMatchObject({
    type: "head",
    provenance: { kind: "host" },
    blocks: [text("Mind.")],
  });
  const inPlace = { role: "user", origin: "host", attachment: "head", provenance: { kind: "host" } };
  expect(headInPlace([text("One."), text("Two.")])).toMatchObject({ ...inPlace, blocks: [text("One."), text("Two.")] });
  expect([headText("Mind."), headText([text("One."), text("Two.")])]).toEqual(["Mind.", "One.\nTwo."]);
});

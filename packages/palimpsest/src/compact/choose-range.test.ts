import { expect, test } from "vitest";
import { messageItem, sealItem } from "../view/items.ts";
import { chooseRange } from "./plan.ts";

const said = (at: number, role: "user" | "assistant") =>
  messageItem(at, {
    role,
    origin: role === "user" ? "human" : "model",
    blocks: [{ kind: "text", text: `message ${at}` }],
  });
/** Two turns, and a message that no request has had yet. */
const ITEMS = [
  said(1, "user"),
  said(2, "assistant"),
  said(3, "user"),
  sealItem(4, { maxTokens: 1, estimatedTokens: 1 }),
  said(5, "assistant"),
  said(6, "user"),
];

function entriesOf(chosen: ReturnType<typeof chooseRange>) {
  if (chosen.kind !== "fold") return chosen.kind;
  const { from, to, folded, kept, pending } = chosen;
  const entries = (items: typeof folded): readonly number[] => items.map((item) => item.from);
  return { from, to, folded: entries(folded), kept: entries(kept), pending: entries(pending) };
}

test("a full compaction replaces all but what was not sent yet", () => {
  expect(entriesOf(chooseRange(ITEMS, { variant: "full" }))).toEqual({
    from: 1,
    to: 5,
    folded: [1, 2, 3, 5],
    kept: [6],
    pending: [6],
  });
});

test("up to a message, everything from it on is kept", () => {
  expect(entriesOf(chooseRange(ITEMS, { variant: "up_to", entry: 3 }))).toEqual({
    from: 1,
    to: 2,
    folded: [1, 2],
    kept: [3, 5, 6],
    pending: [6],
  });
});

test("from a message on, what was replaced does not wait to be sent", () => {
  expect(entriesOf(chooseRange(ITEMS, { variant: "from", entry: 3 }))).toEqual({
    from: 3,
    to: 6,
    folded: [3, 5, 6],
    kept: [1, 2],
    pending: [],
  });
});

test("calls that are still to be run stay with all that follows them", () => {
  expect(entriesOf(chooseRange(ITEMS, { variant: "full" }, 5))).toMatchObject({ folded: [1, 2, 3], kept: [5, 6] });
});

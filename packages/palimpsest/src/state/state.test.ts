import { expect, test } from "vitest";
import { toDraft } from "../log/entry.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { SessionState } from "./state.ts";

test("removes erased content from the view at once, within the same operation", async () => {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind !== "opened") throw new Error("busy");
  const state = await SessionState.open({ session: "s", writer: opened.writer, clock: { now: () => 0 } });
  const said = ["One.", "Two."].map((text) =>
    toDraft("message", { role: "user", origin: "human", blocks: [{ kind: "text", text }] }),
  );
  const [one, two] = (await state.append(said)) as [number, number];
  const shown = () => state.view.items.map(({ from }) => from);
  expect(shown()).toEqual([one, two]);
  await state.inOrder(async () => {
    await state.erase([one]);
    expect(shown()).toEqual([two]);
  });
});

import { expect, test } from "vitest";
import { EMPTY_LOG, sealEntries, toDraft } from "../../log/entry.ts";
import { EMPTY_CARRIED_STATE } from "../../state/carried.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { sha256 } from "../../stores/sha256.ts";
import { addKnowledge } from "./knowledge.ts";

test("of very many messages of the user, the first and the newest are remembered", async () => {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind !== "opened") throw new Error("busy");
  const count = 600;
  const drafts = Array.from({ length: count }, (_, index) =>
    toDraft("message", { role: "user", origin: "human", blocks: [{ kind: "text", text: `message ${index}` }] }),
  );
  await opened.writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 0, digest: sha256 }));
  const options = { keep: [], countTokens: (text: string) => text.length };
  const { knowledge } = await addKnowledge(opened.writer, [{ from: 1, to: count }], EMPTY_CARRIED_STATE, options);
  const { said } = knowledge;
  expect(said[0]).toBe(1);
  expect(said.at(-1)).toBe(count);
  expect(said.length).toBeLessThan(count);
  // Without a gap from the second one on.
  expect(said[1]).toBe(count - said.length + 2);
});

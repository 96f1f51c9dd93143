import { describe, expect, test } from "vitest";
import { SessionBusyError, SessionLostError } from "../errors.ts";
import { notice, toolResult } from "../log/messages.ts";
import { HOST } from "../log/provenance.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { Store } from "../stores/store.ts";
import { openRecorder } from "./recorder.ts";
import { openOffline } from "./testing/open-offline.ts";

async function begin(store: Store = memoryStore()) {
  const opened = await openRecorder({ store, id: "s", owner: "import" });
  if (opened.kind !== "opened") throw new Error("it exists");
  const { recorder } = opened;
  await recorder.configure({ model: "claude-opus-5-5", provider: "anthropic", provenance: HOST });
  const times = async () => {
    const reader = (await store.openReader("s"))!;
    return (await reader.read(1, 99)).map(({ kind, atMs }) => [kind, atMs]);
  };
  return { store, recorder, times };
}

describe("a recorder", () => {
  test("writes what took place, with its times, and what it writes is a session like any other", async () => {
    const { store, recorder, times } = await begin();
    recorder.setTime(1_000.4);
    const [hello] = await recorder.append("Hello.");
    expect(hello).toMatchObject({ entry: 2, content: { role: "user" } });
    recorder.setTime(2_000);
    const said = { role: "assistant", origin: "model", blocks: [{ kind: "text", text: "Hi." }] } as const;
    expect(await recorder.appendInherited(said)).toBe(3);
    // For the user, beside the conversation.
    await recorder.append(notice("Imported."));
    expect(recorder).toMatchObject({ id: "s", newestEntry: 4, model: "claude-opus-5-5" });
    expect(await recorder.flush()).toBe(4);
    expect(await times()).toEqual([
      ["configuration", 0],
      ["message", 1_000],
      ["message", 2_000],
      ["message", 2_000],
    ]);
    await recorder.close();
    const session = await openOffline(store);
    await session.append("Go on.");
    expect(JSON.stringify((await session.prepare()).messages)).toMatch(/Hello\..*Hi\..*Go on\./);
  });

  test("writes a configuration once, and again where it is another", async () => {
    const { recorder } = await begin();
    const same = { model: "claude-opus-5-5", provider: "anthropic", provenance: HOST };
    await recorder.configure(same);
    expect(recorder.newestEntry).toBe(1);
    await recorder.configure({ ...same, system: "Be brief." });
    expect(recorder.newestEntry).toBe(2);
  });

  test("writes decisions: what was replaced, folded and taken back", async () => {
    const { recorder } = await begin();
    await recorder.append("Look.");
    const call = { kind: "tool_call", id: "a", name: "look", input: {} } as const;
    const calls = await recorder.appendInherited({ role: "assistant", origin: "model", blocks: [call] });
    const [result] = await recorder.append(toolResult("a", "A tree."));
    const shown = () => JSON.stringify(recorder.items);
    const put = (from: number, text: string) => ({
      from,
      to: result!.entry,
      with: [{ role: "user", origin: "summary", blocks: [{ kind: "text", text }] } as const],
      reason: "import",
      cost: { shedTokens: 0, invalidatedPrefixTokens: 0 },
    });
    const before = recorder.newestEntry;
    await recorder.replace();
    expect(recorder.newestEntry).toBe(before);
    await recorder.replace(put(calls, "Something was looked at."));
    expect(shown()).toMatch(/Look\..*Something was looked at\./);
    expect(shown()).not.toContain("A tree.");
    await recorder.fold(put(2, "They looked."));
    expect(shown()).toContain("They looked.");
    expect(shown()).not.toContain("Look.");
    await recorder.rewind(before, "import");
    expect(shown()).toMatch(/Look\..*A tree\./);
  });

  test("leaves a session that is there as it is, and says what is in use or lost", async () => {
    const { store, recorder } = await begin();
    await expect(openRecorder({ store, id: "s", owner: "other" })).rejects.toThrow(SessionBusyError);
    await recorder.append("Hello.");
    await recorder.close();
    // Twice: the first time has not kept it open.
    for (let times = 0; times < 2; times++) {
      expect(await openRecorder({ store, id: "s", owner: "other" })).toEqual({ kind: "exists", entries: 2 });
    }
    const other = await begin();
    await other.recorder.append("Hello.");
    await other.store.openWriter("s", { owner: "thief", takeover: "always" });
    await expect(other.recorder.flush()).rejects.toThrow(SessionLostError);
  });
});

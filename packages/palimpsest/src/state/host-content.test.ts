import { manualClock } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { attachment, commandOutput, toolResult, user } from "../log/messages.ts";
import { openOffline } from "../session/testing/open-offline.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { cleanContent, cleanHostContent, withTimeout } from "./host-content.ts";

const clean = (text: string): string => text.replaceAll("\u202e", "[hidden]");

test("cleans texts of messages, results and attachments, but not the model's answers", () => {
  const blocks = (text: string) => [{ kind: "text", text }];
  expect(cleanContent(user("a\u202e"), clean).blocks).toEqual(blocks("a[hidden]"));
  expect(cleanContent(attachment("x", "a\u202e"), clean).blocks).toEqual(blocks("a[hidden]"));
  expect(cleanContent(toolResult("1", "a\u202e"), clean).blocks).toMatchObject([{ content: "a[hidden]" }]);
  expect(cleanContent(toolResult("1", [{ kind: "text", text: "\u202e" }]), clean).blocks).toMatchObject([
    { content: blocks("[hidden]") },
  ]);
  const answer = { role: "assistant", origin: "model", blocks: [{ kind: "text", text: "\u202e" }] } as const;
  expect(cleanContent(answer, clean)).toBe(answer);
  expect(cleanContent(user("\u202e"), undefined).blocks).toEqual(blocks("\u202e"));
});

test("cleans the host's answers in any form", async () => {
  const surroundings = cleanHostContent(
    {
      head: async () => [{ kind: "text", text: "h\u202e", provenance: { kind: "project" } }],
      readFile: async (path) => `${path}\u202e`,
      skills: async () => [{ name: "s", text: "s\u202e" }],
      plan: async () => ({ text: "p\u202e", path: "/plan" }),
      todos: async () => undefined,
    },
    clean,
  );
  expect(await surroundings.head!()).toEqual([{ kind: "text", text: "h[hidden]", provenance: { kind: "project" } }]);
  expect(await surroundings.readFile!("a")).toBe("a[hidden]");
  expect(await surroundings.skills!()).toEqual([{ name: "s", text: "s[hidden]" }]);
  expect(await surroundings.plan!()).toEqual({ text: "p[hidden]", path: "/plan" });
  expect(await surroundings.todos!()).toBeUndefined();
});

test("cleans the host's answers, the head and appended content of an open session", async () => {
  const session = await openOffline(memoryStore(), {
    cleanText: clean,
    surroundings: { head: async () => "head\u202e" },
  });
  await session.append([commandOutput("piped\u202e"), "said\u202e"]);
  const request = await session.prepare();
  expect(JSON.stringify(request)).not.toContain("\u202e");
  for (const text of ["head[hidden]", "piped[hidden]", "said[hidden]"]) expect(JSON.stringify(request)).toContain(text);
});

describe("withTimeout", () => {
  const signal = new AbortController().signal;
  const never = (): Promise<never> => new Promise(() => {});

  test("returns the host's answers, and undefined for errors", async () => {
    const host = { readFile: async (path: string) => `of ${path}`, todos: () => Promise.reject(new Error("broken")) };
    const { readFile, todos, plan } = withTimeout(host, { clock: manualClock(), signal });
    expect(await readFile?.("a")).toBe("of a");
    expect(await todos?.()).toBeUndefined();
    expect(plan).toBeUndefined();
  });

  test("does not wait for a host that hangs", async () => {
    const clock = manualClock();
    const asked = withTimeout({ plan: never }, { clock, signal, timeoutMs: 5_000 }).plan!();
    await clock.pass(5_000, asked);
    expect(await asked).toBeUndefined();
  });

  test("stops waiting at once when it is aborted", async () => {
    const ends = new AbortController();
    const asked = withTimeout({ skills: never }, { clock: manualClock(), signal: ends.signal }).skills!();
    ends.abort();
    expect(await asked).toBeUndefined();
  });
});

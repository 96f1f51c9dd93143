import {
  answer,
  bytesTokenizer,
  compatibleProfiles,
  createOpenAiChat,
  manualClock,
  type Reply,
  type Script,
  serve,
  summarize,
  type Tokenizer,
} from "@palimpsest/provider-simulator";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { openaiChat } from "../providers/openai.ts";
import type { SessionEvent } from "../session-event.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { query } from "../turn/query.ts";
import { openSession } from "./open.ts";

const STORY = "The quick brown fox jumps over the lazy dog while nobody looks. ";

/** A session with the real client and a server that silently cuts input that is too long. */
async function begin(script: Script, server: "Ollama" | "vLLM" = "Ollama") {
  const served = await serve({ faces: [createOpenAiChat({ script, profile: compatibleProfiles[server] })] });
  onTestFinished(() => served.close());
  const client = new OpenAI({ apiKey: "none", baseURL: `${served.url}/v1`, maxRetries: 0 });
  const provider = openaiChat(client, { dialect: "compatible" });
  const events: SessionEvent[] = [];
  const store = memoryStore({ leaseMs: 0 });
  const open = () =>
    openSession({
      store,
      id: "s",
      provider,
      model: "llama",
      clock: manualClock(1_000_000),
      settingsFrom: { environment: {} },
      onEvent: (event: SessionEvent) => void events.push(event),
      takeover: "always",
    });
  const session = await open();
  async function say(prompt: string) {
    const turn = query(session, { prompt, clock: manualClock(1_000_000) });
    for (;;) {
      const next = await turn.next();
      if (next.done === true) return next.value;
    }
  }
  const emitted = <Kind extends SessionEvent["kind"]>(kind: Kind) =>
    events.filter((event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind);
  return { session, say, emitted, open, exchanges: () => served.recorder.exchanges };
}

describe("a server that silently cuts the input", () => {
  const mind: Script = ({ userText }) =>
    /summar/i.test(userText) ? summarize("The user told a story about a fox.") : answer("Understood.");

  test("is detected at once after a large cut, and the next request fits the learned limit", async () => {
    const { session, say, emitted, open } = await begin(mind);
    await say(STORY.repeat(700));
    const [event, ...more] = emitted("input-truncated");
    expect(more).toEqual([]);
    expect(event).toMatchObject({ model: "llama" });
    expect(event!.sentTokens).toBeGreaterThan(7_000);
    expect(event!.readTokens).toBeLessThan(4_200);
    // The report does not change the size, because the sent content is still in view.
    const { tokens, windowTokens, known } = session.view.size();
    expect(tokens).toBeGreaterThan(7_000);
    expect({ windowTokens, known }).toEqual({ windowTokens: event!.readTokens, known: "asked" });
    expect((await open()).view.size()).toMatchObject({ tokens, windowTokens });
  });

  test("causes a compaction before the next request", async () => {
    const { session, say, emitted, exchanges } = await begin(mind);
    await say(STORY.repeat(700));
    await say("What was it about?");
    expect(emitted("compaction-ended")).toMatchObject([{ outcome: { kind: "compacted" } }]);
    expect(session.view.size().tokens).toBeLessThan(4_096);
    expect(emitted("input-truncated")).toHaveLength(1);
    expect(exchanges().at(-1)!.body).toContain("What was it about?");
  });

  test("is detected after repeated small cuts", async () => {
    const { say, emitted } = await begin(mind);
    for (let turn = 1; turn <= 14 && emitted("input-truncated").length === 0; turn++)
      await say(`Part ${turn}: ${STORY.repeat(35)}`);
    const [event] = emitted("input-truncated");
    expect(event).toBeDefined();
    // Before much more than half of the sent content is lost.
    expect(event!.sentTokens).toBeLessThan(2.2 * 4_096);
  });

  test("loses its learned limit when the model changes", async () => {
    const { session, say } = await begin(mind);
    await say(STORY.repeat(700));
    await session.configure({ model: "another" });
    expect(session.view.size().windowTokens).toBe(200_000);
  });
});

test("does not suspect a server that reads everything, for any content and tokenizer", async () => {
  const kinds: readonly ((size: number) => string)[] = [
    (size) => STORY.repeat(size),
    (size) => "const total = items.reduce((sum, { price }) => sum + price, 0);\n".repeat(size),
    (size) => JSON.stringify(Array.from({ length: size }, (_, id) => ({ id, name: `n${id}`, ok: true }))),
    (size) => "漢字かな交じり文を読む。".repeat(size),
    (size) => "Ещё раз о том же самом. ".repeat(size),
    (size) => "=".repeat(size * 80),
    (size) => `.${`${" ".repeat(200)}\n`.repeat(size)}`,
    (size) => "}\n".repeat(size * 10),
    (size) => "x".repeat(size * 60),
    (size) => Buffer.from(STORY.repeat(size)).toString("base64"),
    (size) => "🙂 ".repeat(size * 5),
  ];
  const message = fc.record({ kind: fc.nat(kinds.length - 1), size: fc.integer({ min: 1, max: 300 }) });
  const counts = fc.constantFrom<Tokenizer | undefined>(
    undefined,
    bytesTokenizer({ bytesPerToken: 3 }),
    bytesTokenizer({ bytesPerToken: 4.2 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 6 }), counts, async (turns, tokenizer) => {
      let reply: Reply = answer("Yes.");
      const profile = compatibleProfiles.vLLM;
      const face = createOpenAiChat({
        script: () => reply,
        profile,
        ...(tokenizer === undefined ? {} : { tokenizer }),
      } as Parameters<typeof createOpenAiChat>[0]);
      const events: SessionEvent[] = [];
      const session = await openSession({
        store: memoryStore(),
        provider: openaiChat({} as never, { dialect: "compatible" }),
        model: "llama",
        settings: { compaction: "off", "window.tokens": 10_000_000 },
        settingsFrom: { environment: {} },
        onEvent: (event) => void events.push(event),
      });
      for (const { kind, size } of turns) {
        await session.append(kinds[kind]!(size));
        reply = answer("Noted, go on.");
        const request = await session.prepare();
        const answered = face.answer(request as never);
        if (answered.kind === "refused") return;
        await session.record(answered.response as never, request);
      }
      expect(events.filter(({ kind }) => kind === "input-truncated")).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

import Anthropic from "@anthropic-ai/sdk";
import { type Ask, answer, createAnthropic, serve } from "@palimpsest/provider-simulator";
import { afterAll, expect, test } from "vitest";
import { createHooks } from "../hooks/run.ts";
import { anthropic } from "../providers/anthropic.ts";
import { readStream } from "../providers/stream.ts";
import { openSession } from "../session/open.ts";
import { memoryStore } from "../stores/memory-store.ts";

const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const SUMMARY = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map((number) => `## ${number}. Title\nIn part ${number} the loader was renamed and tested.`)
  .join("\n");

interface Request {
  readonly messages: readonly { readonly content: string | readonly { readonly text: string }[] }[];
}

/** A host whose head can change at any time. */
async function open(first: () => string | undefined = () => "Head 1.") {
  const script = ({ purpose }: Ask) => answer(purpose === "summary" ? SUMMARY : "Done.");
  const server = await serve({ faces: [createAnthropic({ script })] });
  closers.push(() => server.close());
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const provider = anthropic(client, { models: { "claude-opus-5-5": { windowTokens: 50_000 } } });
  const store = memoryStore({ leaseMs: 0 });
  const host = { head: first, asked: 0 };
  const hooks = createHooks([{ event: "SessionStart", run: ({ source }) => `Started by ${source}.` }]);
  const openAgain = () =>
    openSession({
      store,
      provider,
      model: "claude-opus-5-5",
      system: "Be brief.",
      id: "s",
      hooks,
      surroundings: {
        async head() {
          host.asked++;
          return host.head();
        },
      },
    });
  const session = await openAgain();
  const ask = async (text: string, to = session) => {
    await to.append(text);
    const request = await to.prepare();
    await to.record(await readStream(provider.send(request)), request);
    return textsOf(request as Request);
  };
  const fill = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) await ask(`Message ${round}: ${`word${round} `.repeat(1_000)}`);
  };
  return { session, ask, fill, host, openAgain };
}

/** What a request says, one text for each block. */
function textsOf({ messages }: Request): readonly string[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.map(({ text }) => text ?? ""),
  );
}

const ofHook = (text: string): string => `<marked-data from="project" name="hook">\n${text}\n</marked-data>`;
const shown = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

test("stands before all that is said, and stays as it is, whatever the host would say by now", async () => {
  const { session, ask, host, openAgain } = await open();
  const [head, started, words] = await ask("Hello");
  expect([head, started, words]).toEqual([shown("Head 1."), ofHook("Started by startup."), "Hello"]);
  host.head = () => "Head 2.";
  expect((await ask("Again"))[0]).toBe(head);
  await session.close();
  const resumed = await openAgain();
  const texts = await ask("Once more", resumed);
  expect(texts[0]).toBe(head);
  expect(texts.join()).not.toContain("Head 2.");
  expect(resumed.view.attached("head")).toEqual(["Head 1."]);
  expect(host.asked).toBe(1);
});

test.each<[string, () => string | undefined]>([
  ["has nothing to say", () => undefined],
  ["says nothing", () => "\n"],
  [
    "fails",
    () => {
      throw new Error("no disk");
    },
  ],
])("is not there if the host %s", async (_, head) => {
  const { ask, session } = await open(head);
  expect((await ask("Hello"))[0]).toBe(ofHook("Started by startup."));
  expect(session.view.attached("head")).toEqual([]);
});

test("is made anew by a compaction, stands first again, and is the old one when that is taken back", async () => {
  const { session, ask, fill, host, openAgain } = await open();
  await fill(10);
  host.head = () => "Head 2.";
  const outcome = await session.compact();
  if (outcome.kind !== "compacted") throw new Error(outcome.kind);
  expect(outcome.parts).toContainEqual(expect.objectContaining({ name: "head", items: 1 }));
  expect((await session.history.explain())[0]!.shownAs).not.toContain("Head 2.");
  const [head, , summary] = await ask("Go on.");
  expect(head).toBe(shown("Head 2."));
  expect(summary).toMatch(/^<marked-data from="summary">\n[\s\S]*the loader was renamed/);
  expect(session.view.accounting().attachments["head"]).toMatchObject({ count: 1 });
  await session.close();
  const resumed = await openAgain();
  const texts = await ask("And on.", resumed);
  expect(texts[0]).toBe(head);
  expect(texts.join()).not.toContain("Head 1.");
  await resumed.history.restore(outcome.boundary);
  expect(resumed.view.attached("head")).toEqual(["Head 1."]);
});

test("folded over and over it is there once; what stands before a part that is folded stays", async () => {
  const { session, ask, fill, host } = await open();
  await fill(4);
  const [middle] = await session.append("From here on.");
  await fill(6);
  host.head = () => "Head 2.";
  expect(await session.compact({ from: middle! })).toMatchObject({ kind: "compacted" });
  expect(session.view.attached("head")).toEqual(["Head 1."]);
  for (const number of [3, 4]) {
    await fill(10);
    host.head = () => `Head ${number}.`;
    expect(await session.compact()).toMatchObject({ kind: "compacted" });
    expect(session.view.attached("head")).toEqual([`Head ${number}.`]);
    expect((await ask("Go on."))[0]).toBe(shown(`Head ${number}.`));
  }
  host.head = () => undefined;
  await fill(10);
  expect(await session.compact()).toMatchObject({ kind: "compacted" });
  expect(session.view.attached("head")).toEqual([]);
});

test("that leaves no room is named with its size", async () => {
  const { session, fill, host } = await open();
  await fill(10);
  host.head = () => "word ".repeat(60_000);
  const outcome = await session.compact();
  expect(outcome).toMatchObject({ kind: "failed", failure: "too-large" });
  expect(JSON.stringify(outcome)).toMatch(/head \d{5}/);
  expect(session.view.attached("head")).toEqual(["Head 1."]);
});

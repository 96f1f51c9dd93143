import { once } from "node:events";
import { text as readAll } from "node:stream/consumers";
import {
  answer,
  compatibleProfiles,
  createOpenAiChat,
  cutStream,
  type HttpFace,
  inOrder,
  type Script,
  serve,
  stallStream,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { type Provider, query, type Session } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { createPartialAnswer } from "palimpsest/core";
import { openaiChat, openaiResponses } from "palimpsest/openai";
import type { Random } from "../../random.ts";
import { type LibraryWorld, MODEL, openWorld } from "../library-world.ts";
import type { PromiseCase } from "../promise-case.ts";
import { lastBody } from "../request-text.ts";
import { startAgent } from "../start-agent.ts";

const STORY = "The quick brown fox jumps over the lazy dog while nobody looks. ";

/** Models: answers that are interrupted, windows and who knows them, servers that cut in silence. */
export const modelCases: readonly PromiseCase[] = [
  {
    promise: "an answer that is stopped stays in view with every provider, says so, and is priced",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, inOrder([stalled(random)]));
      for (const [provider, model] of providersOf(world)) {
        const session = await world.open({ provider, model });
        await stopAtText(session);
        const event = world.emitted("answer-interrupted").at(-1);
        reported(event?.text.startsWith("I was about") === true, `${provider.name}: no event has what was said`);
        const { priceUsd, estimatedUsd } = session.ledger.totals();
        holds(priceUsd > 0 && estimatedUsd === priceUsd, `${provider.name}: it cost ${priceUsd} (${estimatedUsd})`);
        await run(session, "Go on.");
        const body = lastBody(world);
        holds(
          /I was about.*was interrupted here/s.test(body),
          `${provider.name}: the next request has no partial answer`,
        );
        await session.close();
      }
    },
  },
  {
    promise: "an answer of one's own loop that is aborted can be recorded as far as it came",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, inOrder([stalled(random)]));
      const session = await world.open();
      await session.append("Hello.");
      const request = await session.prepare();
      const partial = createPartialAnswer();
      const stop = new AbortController();
      try {
        for await (const part of world.anthropic.send(request, { signal: stop.signal })) {
          partial.add(part);
          if (part.kind === "text") setTimeout(() => stop.abort(), 20);
        }
      } catch {
        const { usage, estimated } = await session.turn.recordInterrupted(partial.answer()!, request);
        holds((usage?.freshTokens ?? 0) > 0 && estimated === "output", `its usage is ${JSON.stringify(usage)}`);
      }
      reported(world.emitted("answer-interrupted").length === 1, "no event told of it");
      await run(session, "Go on.");
      holds(lastBody(world).includes("I was about"), "the next request has no partial answer");
    },
  },
  {
    promise: "a stream that broke and was sent again is in the ledger, and none of its words in the conversation",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(
        folder,
        inOrder([{ ...answer(`Void. ${STORY.repeat(5)}`), fault: cutStream(4 + random.below(4)) }], () =>
          answer("Whole."),
        ),
      );

      const session = await world.open();
      await run(session, "Hello.");
      const { bySource } = await session.ledger.cost();
      holds((bySource["retries"]?.priceUsd ?? 0) > 0, "the broken try cost nothing");
      await run(session, "Go on.");
      holds(!lastBody(world).includes("Void."), "the next request has words of the broken try");
      const event = world.emitted("answer-interrupted")[0];
      reported(event?.view === "left-out", "no event told of the broken try");
    },
  },
  {
    promise: "a server that cuts the input in silence is found out, and the next request fits what it reads",
    side: "library",
    async check({ random, holds, reported, folder }) {
      const script: Script = ({ userText }) => answer(/nine sections/.test(userText) ? "No." : "Understood.");
      const face = createOpenAiChat({ script, profile: compatibleProfiles.Ollama });
      await using server = await serveFace(face);
      const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
      const provider = openaiChat(client, { dialect: "compatible" }) as Provider;
      await using world = await openWorld(folder, inOrder([]));
      const session = await world.open({ provider, model: "llama" });
      await run(session, STORY.repeat(600 + random.below(400)));
      const [event] = world.emitted("input-truncated");
      reported(event !== undefined, "no event told that the input was cut");
      holds(session.view.size().tokens > 6_000, `its report was taken for the size: ${session.view.size().tokens}`);
      await run(session, "What was it about?");
      holds(session.view.size().tokens < 4_096, `the conversation still has ${session.view.size().tokens} tokens`);
      holds(world.emitted("input-truncated").length === 1, "the next request was cut as well");
    },
  },
  {
    promise: "a server that reads all of it is not suspected",
    side: "library",
    async check({ random, holds, reported, folder }) {
      const face = createOpenAiChat({ script: () => answer("Understood."), profile: compatibleProfiles.vLLM });
      await using server = await serveFace(face);
      const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
      const provider = openaiChat(client, { dialect: "compatible" }) as Provider;
      const texts = [
        STORY,
        "const a = b[0] + 1;\n",
        "漢字かな交じり文。",
        '{"id":1,"ok":true},',
        "=".repeat(70),
        "0123456789 ",
      ];
      await using world = await openWorld(folder, inOrder([]));
      const session = await world.open({ provider, model: "llama" });
      for (let turn = 0; turn < 5; turn++) await run(session, random.pick(texts).repeat(1 + random.below(300)));
      holds(world.emitted("input-truncated").length === 0, "a server that read all was suspected");
      reported(world.emitted("model-guessed").length === 1, "the guess of its window was not told once");
    },
  },
  {
    promise: "a window that the caller gives is taken for every provider, and one that nobody knows is called a guess",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, inOrder([]));
      const windowTokens = random.pick([40_000, 123_456, 3_000_000]);
      const models = { [MODEL]: { windowTokens }, "gpt-6-sol": { windowTokens } };
      const given: readonly (readonly [Provider, string])[] = [
        [anthropic({} as never, { models }) as Provider, MODEL],
        [openaiResponses({} as never, { models }) as Provider, "gpt-6-sol"],
        [openaiChat({} as never, { models }) as Provider, "gpt-6-sol"],
      ];
      for (const [provider, model] of given) {
        const session = await world.open({ provider, model });
        const size = session.view.size();
        holds(size.windowTokens === windowTokens && size.known === "given", `${provider.name}: ${size.windowTokens}`);
        await session.close();
      }
      const session = await world.open({ provider: openaiChat({} as never) as Provider, model: "nobody-knows" });
      await session.append("Hello.");
      await session.prepare();
      const [event] = world.emitted("model-guessed");
      reported(event?.windowTokens === session.view.size().windowTokens, "no event told of the guess");
    },
  },
  {
    promise: "ctrl-C in a headless turn keeps the answer so far, tells what it cost, and --continue goes on from it",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder, inOrder([stalled(random)]));
      const child = agent.start(["-p", "Hello.", "--output-format", "stream-json"]);
      child.stdin.end();
      const [out, said] = [collect(child.stdout), readAll(child.stderr)];
      await out.until('"kind":"text"');
      child.kill("SIGINT");
      const [code] = (await once(child, "close")) as [number];
      const printed = out.text();
      holds(code === 130, `it ended with ${code}: ${await said}`);
      const result = JSON.parse(printed.trim().split("\n").at(-1)!) as {
        usage: { estimatedUsd?: number; priceUsd: number };
      };
      holds(result.usage.priceUsd > 0 && result.usage.estimatedUsd !== undefined, JSON.stringify(result.usage));
      reported(printed.includes("answer-interrupted"), "no event told of the interruption");
      const next = await agent.run(["--continue", "-p", "Go on."]);
      holds(next.code === 0, `--continue ended with ${next.code}: ${next.said}`);
      const body = lastBody(agent);
      holds(/I was about.*was interrupted here/s.test(body), "the next request has no partial answer");
      const cost = await agent.run(["cost"]);
      reported(/interrupted.*estimate/.test(cost.out), `cost says nothing of an estimate:\n${cost.out}`);
    },
  },
  {
    promise: "a window and prices in settings.json hold for a model that no table has, and a wrong name is told",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder, inOrder([]));
      const windowTokens = 30_000 + random.below(50_000);
      agent.putSettings("settings.json", {
        models: { [MODEL]: { windowTokens, maxOutputTokens: 3_000, windowTokenz: 1 } },
      });
      const { code, said } = await agent.run(["-p", "Hello.", "--model", MODEL]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      reported(/windowTokenz.*Did you mean windowTokens/.test(said), `the wrong name was not told: ${said}`);
      holds(lastBody(agent).includes('"max_tokens":3000'), "the limit of its output was not taken");
      const { out } = await agent.run(["context", "--json"]);
      const { size } = JSON.parse(out) as { size: { windowTokens: number; known: string } };
      holds(size.windowTokens === windowTokens && size.known === "given", `context says ${JSON.stringify(size)}`);
    },
  },
  {
    promise: "a model that nobody knows is used with a guess, and the person is told how to set its window",
    side: "agent",
    async check({ folder, holds, reported }) {
      await using agent = await startAgent(folder, inOrder([]));
      const face = createOpenAiChat({ script: () => answer("Hi."), profile: compatibleProfiles.vLLM });
      await using server = await serveFace(face);
      const args = ["-p", "Hello.", "--provider", "openai-chat", "--base-url", `${server.url}/v1`, "--model", "llama"];
      const { code, said } = await agent.run(args, { OPENAI_API_KEY: "none" });
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      reported(/The context window of llama is unknown.*"models"/.test(said), `nobody was told of the guess: ${said}`);
    },
  },
];

/** An answer of which a part comes, and then nothing more. */
function stalled(random: Random) {
  const fault = stallStream(5 + random.below(5), 60_000);
  return { ...answer(`I was about to say this ${"at length ".repeat(30 + random.below(30))}`), fault };
}

function providersOf(world: LibraryWorld): readonly (readonly [Provider, string])[] {
  return [
    [world.anthropic, MODEL],
    [world.openaiResponses, "gpt-6-sol"],
    [world.openaiChat, "gpt-6-sol"],
  ];
}

async function run(session: Session, prompt: string): Promise<void> {
  for await (const _ of query(session, { prompt, retries: { firstWaitMs: 1 } }));
}

async function stopAtText(session: Session): Promise<void> {
  const stop = new AbortController();
  for await (const { kind } of query(session, { prompt: "Hello.", signal: stop.signal }))
    if (kind === "text") setTimeout(() => stop.abort(), 20);
}

/** A server beside the world's, closed with the case. */
async function serveFace(face: HttpFace): Promise<AsyncDisposable & { readonly url: string }> {
  const server = await serve({ faces: [face] });
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}

/** What a stream brings, and a way to wait for something in it. */
function collect(stream: NodeJS.ReadableStream): { text(): string; until(part: string): Promise<void> } {
  let text = "";
  stream.on("data", (chunk) => {
    text += String(chunk);
  });
  return {
    text: () => text,
    async until(part) {
      while (!text.includes(part)) await once(stream, "data");
    },
  };
}

import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  serve,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Block, Media } from "../log/block.ts";
import { user } from "../log/messages.ts";
import { anthropic } from "../providers/anthropic.ts";
import type { ExtraModels } from "../providers/models.ts";
import { openaiChat, openaiResponses } from "../providers/openai.ts";
import type { Provider } from "../providers/provider.ts";
import type { SessionEvent } from "../session-event.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { query } from "../turn/query.ts";
import { openSession } from "./open.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=",
  "base64",
);
const image = (bytes: Buffer, mediaType = "image/png"): Media => ({
  kind: "image",
  source: { kind: "base64", mediaType, data: bytes.toString("base64") },
});
const text = (words: string): Block => ({ kind: "text", text: words });
/** Begins like a PNG. The service detects that the rest is missing. */
const TRUNCATED = PNG.subarray(0, 40);
/** An image with sides of 9,000 pixels. */
function huge(): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(9_000, 16);
  return bytes;
}
const jpeg = (size: number): Buffer => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(size)]);

type World = "Anthropic" | "OpenAI Responses" | "OpenAI Chat";
const MODELS = { Anthropic: "claude-opus-5-5", "OpenAI Responses": "gpt-6-sol", "OpenAI Chat": "gpt-6-sol" };

async function open(world: World = "Anthropic", models: ExtraModels = {}) {
  const script = () => answer("I see.");
  const server = await serve({
    faces: [createAnthropic({ script }), createOpenAiResponses({ script }), createOpenAiChat({ script })],
  });
  onTestFinished(() => server.close());
  const openai = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
  const provider = {
    Anthropic: () => anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }), { models }),
    "OpenAI Responses": () => openaiResponses(openai, { models }),
    "OpenAI Chat": () => openaiChat(openai, { models }),
  }[world]() as unknown as Provider<unknown, unknown, unknown>;
  const events: SessionEvent[] = [];
  const store = memoryStore();
  const options = {
    store,
    provider,
    model: MODELS[world],
    id: "s",
    onEvent: (event: SessionEvent) => events.push(event),
  };
  const session = await openSession(options);
  onTestFinished(() => session.close());
  const say = async (...blocks: readonly Block[]) => {
    const turn = query(session, { prompt: user(blocks) });
    for (let next = await turn.next(); ; next = await turn.next()) if (next.done === true) return next.value;
  };
  const bodies = () =>
    server.recorder.exchanges
      .filter(({ path }) => !path.includes("count_tokens"))
      .map(({ body, outcome }) => ({ body, kind: outcome.kind }));
  const refused = () => events.filter((event) => event.kind === "media-refused");
  return { session, provider, say, bodies, refused };
}

describe.each<World>(["Anthropic", "OpenAI Responses", "OpenAI Chat"])(
  "%s: a session continues with a bad image",
  (world) => {
    test("does not send an HTML page that is declared as an image, and keeps it in the entry", async () => {
      const { session, say, bodies, refused } = await open(world);
      const page = image(Buffer.from("<!DOCTYPE html><title>Not found</title>"));
      expect(await say(text("Look."), page)).toMatchObject({ kind: "done" });
      expect(bodies().map(({ kind }) => kind)).toEqual(["answered"]);
      expect(bodies()[0]!.body).toContain("left out: its bytes are no image/png");
      expect(refused()).toMatchObject([{ by: "check", problem: "unreadable", media: "image", entry: 2 }]);
      expect((await Array.fromAsync(session.history.export())).join("\n")).toContain(JSON.stringify(page.source));
    });

    test("sends an image with the wrong type under the right type", async () => {
      const { say, bodies, refused } = await open(world);
      expect(await say(image(PNG, "image/jpeg"))).toMatchObject({ kind: "done" });
      expect(bodies().map(({ kind }) => kind)).toEqual(["answered"]);
      expect(bodies()[0]!.body).toContain("image/png");
      expect(refused()).toEqual([]);
    });

    test("replaces an image that the provider refuses by a stub, and repeats the request", async () => {
      const { say, bodies, refused } = await open(world);
      expect(await say(text("Look."), image(PNG))).toMatchObject({ kind: "done" });
      expect(await say(text("And this?"), image(TRUNCATED))).toMatchObject({ kind: "done" });
      expect(bodies().map(({ kind }) => kind)).toEqual(["answered", "refused", "answered"]);
      expect(bodies()[2]!.body).not.toContain(TRUNCATED.toString("base64"));
      expect(bodies()[2]!.body).toContain(PNG.toString("base64"));
      expect(refused()).toMatchObject([{ by: "provider", problem: "unreadable" }]);
      expect(await say(text("Go on."))).toMatchObject({ kind: "done" });
      expect(bodies()).toHaveLength(4);
    });
  },
);

test("leaves out only the image that a refusal names", async () => {
  const { say, bodies, refused } = await open();
  const bad = image(huge());
  expect(await say(text("Compare."), image(PNG), bad, image(jpeg(100), "image/jpeg"))).toMatchObject({ kind: "done" });
  expect(bodies().map(({ kind }) => kind)).toEqual(["refused", "answered"]);
  expect(bodies()[1]!.body.split('"type":"image"')).toHaveLength(3);
  expect(bodies()[1]!.body).toContain("image dimensions exceed max allowed size");
  expect(refused()).toMatchObject([{ problem: "too-large", by: "provider" }]);
});

test("recovers in a custom loop, and restores the image on request", async () => {
  const { session, provider } = await open();
  await session.append(user([text("Look."), image(TRUNCATED)]));
  const sending = async () => Array.fromAsync(provider.send(await session.prepare()));
  const error = await sending().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(await session.recover(error)).toEqual({ kind: "retry", mediaLeftOut: 1 });
  await sending();
  const decision = session.history.newestEntry - 1;
  await session.history.restore(decision);
  expect(JSON.stringify(await session.prepare())).toContain(TRUNCATED.toString("base64"));
});

test("leaves out the oldest images of a request with too many bytes", async () => {
  const { say, bodies, refused } = await open("Anthropic", { "claude-opus-5-5": { maxRequestBytes: 100_000 } });
  for (let at = 0; at < 12; at++) {
    expect(await say(text(`Picture ${at}`), image(jpeg(12_000 + at), "image/jpeg"))).toMatchObject({ kind: "done" });
  }
  for (const { body, kind } of bodies()) {
    expect(kind).toBe("answered");
    expect(Buffer.byteLength(body)).toBeLessThan(100_000);
  }
  expect(refused().length).toBeGreaterThan(4);
  expect(refused()[0]).toMatchObject({ by: "request-size", problem: "too-large", entry: 2 });
  expect(bodies().at(-1)!.body).toContain(jpeg(12_011).toString("base64"));
  // Leave out several images at once, because each time costs the prompt cache.
  expect(new Set(refused().map(({ atMs }) => atMs)).size).toBeLessThan(6);
});

import {
  answer,
  callTool,
  callTools,
  compatibleProfiles,
  createOpenAiChat,
  fetchInProcess,
  manualClock,
  stallStream,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { memoryStore, openSession, query } from "palimpsest";
import { createHooks } from "palimpsest/hooks";
import { openaiChat } from "palimpsest/openai";
import { type ClearRule, coding, whenIdle } from "palimpsest/policy";
import type { Drive } from "../experiment.ts";
import { openWorld, prose, TOOLS } from "../world.ts";

/** A hook that works, and one that does not. */
export const runHooks: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const hooks = createHooks([
    { event: "SessionStart", run: () => ({ additionalContext: "Be careful." }) },
    {
      event: "Stop",
      run() {
        throw new Error("it is broken");
      },
    },
  ]);
  const session = await world.open({ hooks });
  await world.turn(session, "Hello.");
  await session.close();
  return world.sent;
};

/** A question beside the conversation, and a session of its own that begins like it. */
export const forkSession: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const session = await world.open();
  await world.turn(session, "Hello.");
  await session.ask("What was said?", { source: "aside" });
  const fork = await session.fork({ source: "branch", allowedTools: [] });
  await world.turn(fork, "And what else?", [], { tools: [] });
  await fork.close();
  await session.close();
  return world.sent;
};

/** A fork whose thinking was changed before its first request: it does not find the messages of its parent in the cache. */
export const changeThinkingOfFork: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const session = await world.open();
  await world.turn(session, prose("wish-", 9_000));
  const fork = await session.fork({ source: "branch" });
  await fork.configure({ parameters: { thinking: { type: "enabled", budget_tokens: 2_000 } } });
  await world.turn(fork, "What was said?");
  await fork.close();
  await session.close();
  return world.sent;
};

/** No model writes a summary that can be used, however often it is asked. */
export const failToCompact: Drive = async (values, witness) => {
  const world = openWorld(values, witness, {
    windowTokens: 40_000,
    mind: ({ purpose }) => (purpose === "summary" ? answer("I'm sorry, but I can't.") : undefined),
  });
  const session = await world.open();
  for (let turn = 0; turn < 40; turn++) await world.turn(session, prose(`wish${turn}-`, 700));
  await session.close();
  return world.sent.length;
};

/** A flag service that fails for a while, and a variable that cannot be used. */
export const failToReadSettings: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  let isDown = false;
  const details = <Value>(value: Value) =>
    isDown ? Promise.reject(new Error("the service is down")) : Promise.resolve({ value });
  const flags = {
    getStringDetails: (_: string, absent: string) => details(absent),
    getNumberDetails: (_: string, absent: number) => details(absent),
    getObjectDetails: (_: string, absent: object) => details(absent),
  };
  const environment = { PALIMPSEST_COMPACT_AT: "many" };
  const session = await world.open({ settingsFrom: { flags, environment } });
  for (const now of [false, true, false]) {
    isDown = now;
    await world.turn(session, "Hello.");
  }
  await session.close();
  return world.sent;
};

/** Somebody has read enough. */
export const interruptAnswer: Drive = async (values, witness) => {
  const world = openWorld(values, witness, {
    mind: ({ userText }) =>
      userText === "Hello." ? { ...answer(prose("word-", 200)), fault: stallStream(4, 60_000) } : undefined,
  });
  const session = await world.open();
  const enough = new AbortController();
  const { clock } = world;
  const turn = query(session, { clock, tools: TOOLS, prompt: "Hello.", signal: enough.signal });
  for await (const { kind } of turn) if (kind === "text") enough.abort();
  await world.turn(session, "Go on.");
  await session.close();
  return world.sent;
};

/** A parameter that does not fit the request. */
export const overrideParameter: Drive = async (values, witness) => {
  const world = openWorld(values, witness);
  const session = await world.open({ parameters: { thinking: { type: "enabled", budget_tokens: 50_000 } } });
  await world.turn(session, "Hello.");
  await session.close();
  return world.sent;
};

/** A server of one's own that cuts what is too long, and says nothing. */
export const cutInput: Drive = async ({ policy: _, ...settings }, witness) => {
  const clock = manualClock();
  const face = createOpenAiChat({ clock, script: () => answer("Understood."), profile: compatibleProfiles.Ollama });
  const sent: string[] = [];
  const inProcess = fetchInProcess({ face, clock });
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://simulator/v1",
    maxRetries: 0,
    fetch(url, init) {
      sent.push(String(init?.body));
      return inProcess(url, init);
    },
  });
  const provider = openaiChat(client, { dialect: "compatible" });
  const session = await openSession({
    store: memoryStore({ clock }),
    provider,
    model: "llama",
    clock,
    id: "s",
    onEvent: witness.onEvent,
    settings,
    settingsFrom: { environment: {} },
  });
  for await (const _ of query(session, { clock, prompt: STORY }));
  await session.close();
  return sent;
};

const STORY = "The quick brown fox jumps over the lazy dog while nobody looks. ".repeat(700);

/** A rule that throws, and another policy when the session is opened again. */
export const changePolicy: Drive = async (_, witness) => {
  const broken: ClearRule = {
    name: "broken",
    propose() {
      throw new Error("it is broken");
    },
  };
  const clear = [broken, whenIdle({ minutes: 60, keepNewest: 1 })];
  const world = openWorld({}, witness);
  const session = await world.open({ policy: { ...coding(), name: "mine", clear } });
  await world.turn(session, "Read them.", [
    callTools(callTool("Read", { file_path: "one", words: 500 }), callTool("Read", { file_path: "two", words: 500 })),
  ]);
  world.clock.advance(2 * 3_600_000);
  await world.turn(session, "Go on.");
  await session.close();
  const again = await world.open({ policy: coding("quality"), takeover: "always" });
  await world.turn(again, "And on.");
  await again.close();
  return world.sent;
};

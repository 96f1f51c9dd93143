import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, manualClock, serve } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import type { Policy } from "../policy/policy.ts";
import { byCacheEdit, whenCold } from "../policy/rules/clear.ts";
import { coding } from "../presets/coding.ts";
import {
  type AnthropicMessage,
  type AnthropicRequest,
  type AnthropicResponse,
  anthropic,
} from "../providers/anthropic.ts";
import type { Provider } from "../providers/provider.ts";
import { clearingBy } from "./testing/policies.ts";
import { createVoice, openReading } from "./testing/reading-session.ts";

/** The simulator's extension, in the form in which an adapter declares it. */
function deleting(client: Anthropic): Provider<AnthropicRequest, AnthropicResponse, AnthropicMessage> {
  const provider = anthropic(client);
  return {
    ...provider,
    cacheEdits: "taken",
    renderRequest(parts) {
      const cache_edits = { deleted_tool_results: parts.deleted?.map(({ callId }) => callId) ?? [] };
      const betas = ["provider-simulator-cache-edits"];
      return { ...provider.renderRequest(parts), betas, cache_edits } as AnthropicRequest;
    },
    readResponse(response) {
      const content = provider.readResponse(response);
      const { cache_deleted_input_tokens: deletedTokens = 0 } = response.usage as {
        cache_deleted_input_tokens?: number;
      };
      return { ...content, usage: { ...content.usage, deletedTokens } };
    },
  };
}

const deletes = byCacheEdit({ atLeastResults: 12, keepNewest: 5 });
const BOTH = clearingBy(deletes, whenCold({ keepNewest: 3 }));

async function begin(policy: Policy = BOTH) {
  const clock = manualClock();
  const voice = createVoice();
  const face = createAnthropic({ clock, script: voice.script });
  const server = await serve({ faces: [face] });
  onTestFinished(() => server.close());
  const provider = deleting(new Anthropic({ apiKey: "none", baseURL: server.url }));
  const tools = [{ name: "Read", inputSchema: { type: "object" } }];
  const world = await openReading({ provider, model: "claude-sonnet-4-6", tools, clock, policy }, voice);
  const breaks = async () => (await world.lines()).flatMap((line) => line.break ?? []);
  const deletedIn = async (): Promise<number> => {
    const { cache_edits } = (await world.session.prepare()) as unknown as {
      cache_edits: { deleted_tool_results: readonly string[] };
    };
    return cache_edits.deleted_tool_results.length;
  };
  return Object.assign(world, { face, breaks, deletedIn });
}

test("deletes old results from a warm cache without a break, a decision or files that count as read", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(13);
  await life.ask(answer("Read."));
  const usage = (await life.entries()).findLast((read) => read.kind === "usage");
  expect(usage?.kind === "usage" && usage.payload.deletedTokens).toBeGreaterThan(5_000);
  expect(await life.breaks()).toEqual([]);
  expect((await life.entries()).filter(({ kind }) => kind === "replace")).toEqual([]);
  // At the twelfth result, all results except the newest five are deleted.
  expect([...life.session.view.filesRead().keys()]).toEqual(["7.ts", "8.ts", "9.ts", "10.ts", "11.ts", "12.ts"]);
  await life.session.append("Go on.");
  expect(JSON.stringify((await life.session.prepare()).messages)).toContain("content of 0.ts");
  expect(await life.deletedIn()).toBe(7);
});

test("sends the same deletions after a resume, and none after a boundary", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(13);
  const live = JSON.stringify(await life.session.prepare());
  await life.reopen();
  expect(JSON.stringify(await life.session.prepare())).toBe(live);
  await life.ask(answer("Read."));
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "All read." }] } as const;
  await life.session.history.fold({ from: 2, to: 10 }, [summary], "summarised");
  await life.session.append("Go on.");
  expect(await life.deletedIn()).toBe(0);
});

test("drops the deletions when the service has lost the prompt, and clears by itself at once", async () => {
  const life = await begin();
  await life.session.append("Read them all.");
  await life.read(13);
  life.face.evict();
  await life.ask(answer("Read."));
  expect(await life.breaks()).toMatchObject([{ sort: "alarm", causes: ["server"] }]);
  const size = life.session.view.size().tokens;
  await life.session.append("Go on.");
  expect(await life.deletedIn()).toBe(0);
  const cleared = (await life.entries()).filter((read) => read.kind === "replace");
  expect(cleared.map(({ payload }) => payload.reason)).toEqual(Array(10).fill("cleared"));
  expect(life.session.view.size().tokens).toBeLessThan(size / 2);
});

test("deletes nothing after a pause, and counts deleted results again", async () => {
  const life = await begin(clearingBy(deletes));
  await life.session.append("Read them all.");
  await life.read(13);
  await life.ask(answer("Read."));
  const warm = life.session.view.size().tokens;
  life.clock.advance(6 * 60_000);
  await life.session.append("Go on.");
  expect(await life.deletedIn()).toBe(0);
  expect(life.session.view.size().tokens).toBeGreaterThan(warm + 5_000);
});

test("deletes nothing by default", async () => {
  const life = await begin(coding());
  await life.session.append("Read them all.");
  await life.read(13);
  expect(await life.deletedIn()).toBe(0);
});

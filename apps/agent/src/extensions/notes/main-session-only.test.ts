import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  fetchInProcess,
  idleClock,
  type Script,
} from "@palimpsest/provider-simulator";
import { memoryStore, query } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { coding, notesByGrowth, type Policy } from "palimpsest/policy";
import { expect, test } from "vitest";
import type { AgentOptions } from "../../agent/agent.ts";
import { openAgent } from "../../agent/open-agent.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { placesOf } from "../../workspace/places.ts";

const NOTES =
  '<session-notes>\n<notes-section heading="Current state">\nIt is read.\n</notes-section>\n</session-notes>';

/** The main session starts an agent that reads a file four times, which is enough growth for notes. */
const model: Script = ({ userText, request }) => {
  if (userText.includes("<session-notes>")) return answer(NOTES);
  const conversation = JSON.stringify(request["messages"]);
  const results = conversation.split('"tool_result"').length - 1;
  if (conversation.includes("Start the agent")) {
    const prompt = "Look at limit.ts again and again";
    return results === 0
      ? callTools(callTool("Agent", { description: "Look at a file", prompt, way: "foreground" }))
      : answer("The agent is done.");
  }
  return results < 4 ? callTools(callTool("Read", { file_path: "limit.ts" })) : answer("Looked.");
};

/** Runs a turn of the agent, and returns the requests for notes. */
async function noteRequests(options: Pick<AgentOptions, "policy">): Promise<readonly string[]> {
  const { folder, home } = temporaryProject({ "limit.ts": "export const limit = 10;\n".repeat(40) });
  const bodies: string[] = [];
  const inProcess = fetchInProcess({ face: createAnthropic({ script: model }), clock: idleClock() });
  const fetch: typeof globalThis.fetch = (url, init) => {
    bodies.push(String(init?.body));
    return inProcess(url, init);
  };
  const agent = await openAgent({
    ...options,
    places: placesOf(folder, { HOME: home }),
    folder,
    environment: { ...process.env, HOME: home },
    store: memoryStore(),
    provider: anthropic(new Anthropic({ apiKey: "none", baseURL: "http://simulator", maxRetries: 0, fetch })),
    model: "claude-sonnet-4-6",
    mode: "auto",
    rules: [],
    modelFacts: "table",
  });
  const { takeDenied: _, ...permissions } = agent.permission;
  for await (const _ of query(agent.session, { tools: agent.tools, prompt: "Start the agent", ...permissions }));
  await agent.close();
  expect(bodies.some((body) => body.includes("Looked."))).toBe(true);
  return bodies.filter((body) => (JSON.parse(body).messages as readonly unknown[]).some(asksForNotes));
}

function asksForNotes(message: unknown): boolean {
  return JSON.stringify(message).includes("<session-notes>");
}

const policy: Policy = { ...coding(), notes: notesByGrowth({ firstTokens: 1, growthTokens: 1, toolCalls: 1 }) };

test.each([
  ["a policy", policy],
  ["a function", () => policy],
] as const)("only the main session keeps notes: %s", async (_, option) => {
  const requests = await noteRequests({ policy: option });
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.filter((request) => !request.includes("Start the agent"))).toHaveLength(0);
});

import Anthropic from "@anthropic-ai/sdk";
import { openSession, toolResult } from "palimpsest"; // adopt
import { anthropic } from "palimpsest/anthropic"; // adopt
import type { Door, DoorAgent, DoorPlace } from "./door.ts";
import { countLines, versionsOf } from "./read-door.ts";
import { INSTRUCTIONS, readFile, TOOL } from "./simulated-model.ts";

type LoopPlace = Omit<DoorPlace, "adopted" | "saved">;

/** A loop of one's own around Anthropic's client, which streams every other answer. The session is its list of messages. */
export const ownLoopDoor: Door = {
  name: "own-loop",
  lines: countLines(import.meta.url),
  versions: versionsOf(import.meta.url, ["@anthropic-ai/sdk"]),
  open: async ({ adopted, saved = "[]", ...place }) =>
    adopted === "bare" ? bareLoop(place) : sessionLoop(place, saved),
};

async function sessionLoop(
  { url, model, windowTokens, store, session: id }: LoopPlace,
  saved: string,
): Promise<DoorAgent> {
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  const provider = anthropic(client, { models: { [model]: { windowTokens } } }); // adopt
  const configuration = { model, system: INSTRUCTIONS, tools: [TOOL], settingsFrom: { environment: {} } };
  const session = await openSession({ store, id, provider, takeover: "always", ...configuration }); // adopt
  /** The newest entry before each turn: what a user interface remembers, to go back to. */
  const starts = JSON.parse(saved) as number[];
  let editing = Promise.resolve();
  return {
    async turn(text) {
      await editing;
      starts.push(session.history.newestEntry);
      await session.append(text); // adopt
      for (;;) {
        const request = await session.prepare(); // adopt
        const response = await ask(client, request, starts.length);
        const { calls } = await session.record(response, request); // adopt
        if (calls.length === 0) return;
        for (const { id, input } of calls) {
          const { text, status } = runTool(input);
          await session.append(toolResult(id, text, status)); // adopt
        }
      }
    },
    removeTurns(count) {
      const [start] = starts.splice(-count);
      editing = session.history.rewind(start!);
    },
    save: () => JSON.stringify(starts),
    close: async () => {
      await editing;
      await session.close();
    },
  };
}

async function bareLoop({ url, model }: LoopPlace): Promise<DoorAgent> {
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [];
  const { name, description, inputSchema: input_schema } = TOOL;
  let turns = 0;
  return {
    async turn(text) {
      turns++;
      messages.push({ role: "user", content: text });
      for (;;) {
        const tools = [{ name, description, input_schema }];
        const response = await ask(client, { model, max_tokens: 2_000, system: INSTRUCTIONS, tools, messages }, turns);
        messages.push({ role: "assistant", content: response.content });
        const calls = response.content.filter((block) => block.type === "tool_use");
        if (calls.length === 0) return;
        messages.push({
          role: "user",
          content: calls.map(({ id, input }) => {
            const { text: content, status } = runTool(input);
            return { type: "tool_result", tool_use_id: id, content, is_error: status === "error" };
          }),
        });
      }
    },
    removeTurns: () => undefined,
    save: () => "[]",
    close: async () => undefined,
  };
}

type Asked = Anthropic.MessageCreateParamsNonStreaming;

function ask(client: Anthropic, request: Asked, turn: number): Promise<Anthropic.Message> {
  return turn % 2 === 0 ? client.messages.create(request) : client.messages.stream(request).finalMessage();
}

function runTool(input: unknown): { readonly text: string; readonly status: "ok" | "error" } {
  try {
    return { text: readFile((input as { path: string }).path), status: "ok" };
  } catch (error) {
    return { text: String(error), status: "error" };
  }
}

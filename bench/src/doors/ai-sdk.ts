import { createAnthropic } from "@ai-sdk/anthropic";
import { palimpsest } from "@palimpsest/ai-sdk"; // adopt
import {
  convertToModelMessages,
  jsonSchema,
  stepCountIs,
  ToolLoopAgent,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from "ai";
import type { Door, DoorPlace } from "./door.ts";
import { countLines, versionsOf } from "./read-door.ts";
import { INSTRUCTIONS, readFile, TOOL } from "./simulated-model.ts";

/** An application that streams a `ToolLoopAgent` to a user interface, and persists UIMessages. */
export const aiSdkDoor: Door = {
  name: "ai-sdk",
  lines: countLines(import.meta.url),
  versions: versionsOf(import.meta.url, ["ai", "@ai-sdk/anthropic"]),
  async open({ saved = "[]", session, adopted, ...place }) {
    const { model, close } =
      adopted === "bare" ? { model: plainModel(place), close: async () => {} } : adoptedModel(place);
    const tools = {
      [TOOL.name]: tool({
        description: TOOL.description,
        inputSchema: jsonSchema<{ path: string }>(TOOL.inputSchema),
        execute: async ({ path }) => readFile(path),
      }),
    };
    const providerOptions = { palimpsest: { session } }; // adopt
    const agent = new ToolLoopAgent({
      model,
      tools,
      instructions: INSTRUCTIONS,
      stopWhen: stepCountIs(8),
      providerOptions,
    });
    let list = JSON.parse(saved) as UIMessage[];
    let number = list.length;
    return {
      async turn(text) {
        list.push({ id: `m${number++}`, role: "user", parts: [{ type: "text", text }] });
        // Every other turn without the tools: a mistake that changes what comes back, and must change nothing that is sent.
        const messages = await convertToModelMessages(list, number % 4 === 0 ? {} : { tools });
        const result = await agent.stream({ messages });
        const stream = result.toUIMessageStream({
          originalMessages: list,
          generateMessageId: () => `m${number++}`,
          onFinish: (finished) => {
            list = finished.messages;
          },
        });
        for await (const part of stream) if (part.type === "error") throw new Error(part.errorText);
      },
      removeTurns(count) {
        const starts = list.flatMap(({ role }, at) => (role === "user" ? [at] : []));
        list = list.slice(0, starts.at(-count));
      },
      save: () => JSON.stringify(list),
      close,
    };
  },
};

type ModelPlace = Pick<DoorPlace, "url" | "model" | "windowTokens" | "store">;

function plainModel({ url, model }: ModelPlace) {
  return createAnthropic({ apiKey: "none", baseURL: `${url}/v1` })(model);
}

function adoptedModel({ store, windowTokens, ...place }: ModelPlace) {
  const models = { [place.model]: { windowTokens } };
  const middleware = palimpsest({ store, models, settingsFrom: { environment: {} } });
  const model = wrapLanguageModel({ model: plainModel({ ...place, store, windowTokens }), middleware }); // adopt
  return { model, close: () => middleware.close() };
}

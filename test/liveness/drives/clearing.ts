import { answer, callTool, callTools, type Reply, think } from "@palimpsest/provider-simulator";
import { type AnthropicRequest, anthropic } from "palimpsest/anthropic";
import type { Drive } from "../experiment.ts";
import { type AnthropicProvider, openWorld, type WorldOptions } from "../world.ts";

const MINUTE_MS = 60_000;

const read = (file: number, words: number): Reply =>
  callTools(callTool("Read", { file_path: `src/file${file}.ts`, words }));

/** Many files are read, one is edited, and somebody is asked. */
const READS: readonly Reply[] = [
  ...Array.from({ length: 14 }, (_, index) => read(index, 700)),
  callTools(callTool("Edit", { file_path: "src/file0.ts", words: 10 }), callTool("Ask", { words: 700 })),
  answer("All were read."),
];

async function readAndGoOn(values: object, witness: Parameters<Drive>[1], pauseMs: number, options: WorldOptions) {
  const world = openWorld(values as Parameters<Drive>[0], witness, options);
  const session = await world.open();
  const thinking = options.model === undefined ? {} : { parameters: { thinking: { type: "adaptive" } } };
  await session.configure(thinking);
  await world.turn(session, "Read them all.", READS);
  await world.turn(session, "And?", [think("All of them.", answer("That was all."))]);
  world.clock.advance(pauseMs);
  await world.turn(session, "Go on.");
  await world.turn(session, "And on.");
  await session.close();
  return world.sent;
}

/** The prompt has gone cold before the last turns. */
export const continueCold: Drive = (values, witness) => readAndGoOn(values, witness, 90 * MINUTE_MS, {});

/** It is warm all along. */
export const continueWarm: Drive = (values, witness) => readAndGoOn(values, witness, 0, {});

/** It is warm, and the window is nearly full. */
export const continueFull: Drive = (values, witness) => readAndGoOn(values, witness, 0, { windowTokens: 60_000 });

/** The service may be asked to clear by itself. */
export const continueWithEdits: Drive = (values, witness) =>
  readAndGoOn(values, witness, 90 * MINUTE_MS, {
    model: "claude-opus-5",
    provider: (client, models) => anthropic(client, { models, edits: "asked" }),
  });

/** A service that deletes from its cached prompt, as an adapter of one's own would claim it. */
export const continueWithDeletions: Drive = (values, witness) =>
  readAndGoOn(values, witness, 0, {
    provider(client, models): AnthropicProvider {
      const provider = anthropic(client, { models });
      return {
        ...provider,
        cacheEdits: "taken",
        renderRequest(parts) {
          const cache_edits = { deleted_tool_results: parts.deleted?.map(({ callId }) => callId) ?? [] };
          const betas = ["provider-simulator-cache-edits"];
          return { ...provider.renderRequest(parts), betas, cache_edits } as AnthropicRequest;
        },
      };
    },
  });

import { answer, callTool, callTools, type Reply, think } from "@palimpsest/provider-simulator";
import { type AnthropicRequest, anthropic } from "palimpsest/anthropic";
import type { Drive } from "../experiment.ts";
import type { Witness } from "../witness.ts";
import { type AnthropicProvider, openWorld, type Values, type WorldOptions } from "../world.ts";

const MINUTE_MS = 60_000;

const read = (file: number, words: number): Reply =>
  callTools(callTool("Read", { file_path: `src/file${file}.ts`, words }));

/** Many files are read, one is edited, and somebody is asked. */
const reads = (words: number, files: number): readonly Reply[] => [
  ...Array.from({ length: files }, (_, index) => read(index, words)),
  callTools(callTool("Edit", { file_path: "src/file0.ts", words: 10 }), callTool("Ask", { words })),
  answer("All were read."),
];

interface ReadOptions extends WorldOptions {
  /** The length of each file. @default 700 */
  readonly words?: number;
  /** @default 14 */
  readonly files?: number;
}

async function readAndGoOn(
  values: Values,
  witness: Witness,
  pauseMs: number,
  { words = 700, files = 14, ...options }: ReadOptions,
) {
  const world = openWorld(values, witness, options);
  const session = await world.open();
  const thinking = options.model === undefined ? {} : { parameters: { thinking: { type: "adaptive" } } };
  await session.configure(thinking);
  await world.turn(session, "Read them all.", reads(words, files));
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

/** Large results nearly fill a large window. */
export const continueNearLimit: Drive = (values, witness) => readAndGoOn(values, witness, 0, { words: 2_800 });

/** The same, and the service may be asked to clear by itself. */
export const continueNearLimitWithEdits: Drive = (values, witness) =>
  readAndGoOn(values, witness, 0, {
    words: 1_900,
    files: 20,
    model: "claude-opus-5",
    provider: (client, models) => anthropic(client, { models, edits: "asked" }),
  });

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

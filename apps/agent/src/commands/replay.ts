import { readTranscript } from "@palimpsest/observe";
import {
  figuresOf,
  findReplayModel,
  prepareReplay,
  REPLAY_POLICIES,
  type ReplayFigures,
  type ReplayPolicy,
  replayModels,
  toRecording,
} from "@palimpsest/observe/replay";
import { table, usd } from "../text/table.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

const DEFAULT_POLICIES = ["append-only", "plain-167k", "balanced"];
const DEFAULT_MODEL = "claude-opus-4-8";

/** Computes what a recorded session would have cost under other policies. Sends nothing: the provider is simulated. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.replay);
  const [file] = positionals;
  if (file === undefined) throw new UsageError(`The recording is missing: palimpsest replay FILE\n\n${policiesText()}`);
  const policies = (values.policy ?? DEFAULT_POLICIES).map(findPolicy);
  const id = oneOf("--model", values.model ?? DEFAULT_MODEL, replayModels())!;
  const cacheTtl = oneOf("--ttl", values.ttl ?? "5m", COMMANDS.replay.options.ttl.of)!;
  const recording = toRecording(await Array.fromAsync(readTranscript(file)));
  if (recording === undefined) throw new UsageError(`${file} contains no session with a model response.`);
  const model = findReplayModel(id)!;
  const replay = prepareReplay(recording);
  const figures: Record<string, ReplayFigures> = {};
  for (const policy of policies) {
    figures[policy.name] = figuresOf(await replay(policy, { model, cacheTtl }), model.prices);
  }
  const { agent, rounds } = recording;
  if (values.json) {
    await terminal.print(
      JSON.stringify({ file, agent, rounds: rounds.length, model: id, cacheTtl, policies: figures }),
    );
  } else {
    await terminal.print(
      `${rounds.length} requests of ${agent}, replayed with ${id} and a cache lifetime of ${cacheTtl}`,
    );
    await terminal.print(figuresTable(figures));
  }
  return EXIT.done;
}

function findPolicy(name: string): ReplayPolicy {
  const known = REPLAY_POLICIES.map((policy) => policy.name);
  const found = oneOf("--policy", name, known);
  return REPLAY_POLICIES.find((policy) => policy.name === found)!;
}

function policiesText(): string {
  return table([["policy", "what it does"], ...REPLAY_POLICIES.map(({ name, about }) => [name, about])]);
}

function figuresTable(figures: Readonly<Record<string, ReplayFigures>>): string {
  const [first] = Object.values(figures);
  const rows = Object.entries(figures).map(([name, one]) => [
    ...[name, usd(one.priceUsd), (one.priceUsd / first!.priceUsd).toFixed(3), `${one.cacheHitPercent.toFixed(1)}%`],
    ...[one.compactions, one.cleared, one.refetches, `${one.needsMetPercent.toFixed(2)}%`, one.meanContextTokens],
  ]);
  return table([
    [
      ...["policy", "price", "relative", "cache hits", "compactions", "cleared", "fetched again"],
      ...["needs met in view", "mean context"],
    ],
    ...rows,
  ]);
}

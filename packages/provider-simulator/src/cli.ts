#!/usr/bin/env node
import { parseArgs } from "node:util";
import { createAnthropic } from "./anthropic/anthropic.ts";
import { createOpenAiChat } from "./openai/chat/chat.ts";
import { type CompatibleServer, compatibleProfiles } from "./openai/chat/compatible.ts";
import { createOpenAiResponses } from "./openai/responses/responses.ts";
import type { Exchange } from "./recorder.ts";
import { serve } from "./server.ts";
import { bytesTokenizer } from "./tokenizer.ts";
import { inputTokensOf } from "./usage.ts";
import { virtualTokenizer } from "./virtual-tokenizer.ts";

/** Runs the simulator as a process: all providers on one port. The model repeats its input, and every exchange prints one line. */
const USAGE = `provider-simulator [--port N] [--server NAME] [--seed N]

  --port N       Listen on this port of 127.0.0.1 (default: a free port)
  --server NAME  Behave like this Chat Completions server: ${Object.keys(compatibleProfiles).join(", ")}
  --seed N       Count tokens with a tokenizer drawn from this seed (default: 3.5 bytes per token)
  --help         Show this help`;

const OPTIONS = {
  port: { type: "string" },
  server: { type: "string" },
  seed: { type: "string" },
  help: { type: "boolean" },
} as const;

try {
  await run();
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return console.log(USAGE);
  const tokenizer = values.seed === undefined ? bytesTokenizer() : virtualTokenizer(toNumber("seed", values.seed));
  const profile = values.server === undefined ? {} : { profile: profileOf(values.server) };
  const server = await serve({
    port: values.port === undefined ? 0 : toNumber("port", values.port),
    faces: [
      createAnthropic({ tokenizer }),
      createOpenAiResponses({ tokenizer }),
      createOpenAiChat({ tokenizer, ...profile }),
    ],
    watch: (exchange) => {
      console.log(toLine(exchange));
      // A process that runs for days must not keep what it has printed.
      server.recorder.clear();
    },
  });
  console.log(`Anthropic clients: ${server.url}\nOpenAI clients:    ${server.url}/v1`);
}

function toNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} must be a whole number, not ${text}.`);
  return number;
}

function profileOf(name: string): (typeof compatibleProfiles)[CompatibleServer] {
  if (!Object.hasOwn(compatibleProfiles, name))
    throw new Error(`Unknown server "${name}". Known servers: ${Object.keys(compatibleProfiles).join(", ")}.`);
  return compatibleProfiles[name as CompatibleServer];
}

function toLine({ path, outcome }: Exchange): string {
  if (outcome.kind === "free") return `${path}  free`;
  if (outcome.kind === "broken") return `${path}  ${outcome.message}`;
  if (outcome.kind === "refused") return `${path}  ${outcome.status} ${outcome.message}`;
  const { usage, priceUsd } = outcome;
  const cache = `${usage.cacheReadTokens} read, ${usage.cacheWriteTokens + usage.longCacheWriteTokens} written`;
  return `${path}  ${inputTokensOf(usage)} tokens in (${cache}), ${usage.outputTokens} out, $${priceUsd.toFixed(6)}`;
}

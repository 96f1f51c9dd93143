#!/usr/bin/env node
import { parseArgs } from "node:util";
import { createAnthropic } from "./anthropic/anthropic.ts";
import { createBedrock } from "./bedrock/bedrock.ts";
import { createGemini } from "./gemini/gemini.ts";
import { createOpenAiChat } from "./openai/chat/chat.ts";
import { type CompatibleServer, compatibleProfiles } from "./openai/chat/compatible.ts";
import { createOpenAiResponses } from "./openai/responses/responses.ts";
import type { Exchange } from "./recorder.ts";
import { createReplay } from "./recordings/create-replay.ts";
import { echo } from "./script.ts";
import { loadScript } from "./script-file/load-script.ts";
import { serve } from "./server.ts";
import { bytesTokenizer } from "./tokenizer.ts";
import { inputTokensOf } from "./usage.ts";
import { virtualTokenizer } from "./virtual-tokenizer.ts";
import { withAsyncScript } from "./with-async-script.ts";

/** A variable rather than a flag: everybody on the machine can read the arguments of a process. */
const TOKEN_VARIABLE = "PROVIDER_SIMULATOR_TOKEN";

/** Runs the simulator as a process: all providers on one port. Every exchange prints one line. */
const USAGE = `provider-simulator [--port N] [--host ADDRESS] [--script FILE] [--replay FOLDER] [--server NAME] [--seed N]

  --port N         Listen on this port (default: a free port)
  --host ADDR      Listen on this address instead of 127.0.0.1. Other machines can reach it, so ${TOKEN_VARIABLE}
                   must hold a token; clients send it as their API key
  --script FILE    Answer with the replies of a JSON file, or with the default export of a module (default: repeat the input)
  --replay FOLDER  Answer what "palimpsest proxy --record FOLDER" has recorded as the service did, and simulate the rest
  --server NAME    Behave like this Chat Completions server: ${Object.keys(compatibleProfiles).join(", ")}
  --seed N         Count tokens with a tokenizer drawn from this seed (default: 3.5 bytes per token)
  --help           Show this help`;

const OPTIONS = {
  port: { type: "string" },
  host: { type: "string" },
  script: { type: "string" },
  replay: { type: "string" },
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
  const script = values.script === undefined ? echo : await loadScript(values.script);
  const server = await serve({
    port: values.port === undefined ? 0 : toNumber("port", values.port),
    beyondLoopback: values.host === undefined ? undefined : { host: values.host, token: readToken(values.host) },
    faces: [
      ...(values.replay === undefined ? [] : [createReplay({ folder: values.replay })]),
      withAsyncScript(script, (script) => createAnthropic({ tokenizer, script })),
      withAsyncScript(script, (script) => createOpenAiResponses({ tokenizer, script })),
      withAsyncScript(script, (script) => createOpenAiChat({ tokenizer, script, ...profile })),
      withAsyncScript(script, (script) => createGemini({ tokenizer, script })),
      withAsyncScript(script, (script) => createBedrock({ tokenizer, script })),
    ],
    watch: (exchange) => {
      console.log(toLine(exchange));
      // A process that runs for days must not keep what it has printed.
      server.recorder.clear();
    },
  });
  console.log(
    `Anthropic clients: ${server.url}\nOpenAI clients:    ${server.url}/v1\nGemini clients:    ${server.url}\nBedrock clients:   ${server.url}`,
  );
}

function readToken(host: string): string {
  const token = process.env[TOKEN_VARIABLE];
  if (token) return token;
  throw new Error(`--host ${host} needs a token, because other machines can reach it. Set ${TOKEN_VARIABLE}.`);
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

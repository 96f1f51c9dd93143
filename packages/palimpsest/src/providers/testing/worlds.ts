import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntime } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import {
  createAnthropic,
  createBedrock,
  createGemini,
  createOpenAiChat,
  createOpenAiResponses,
  fetchInProcess,
  type HttpFace,
  type Script,
  type SimulatorServer,
  serve,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { onTestFinished } from "vitest";
import { anthropic } from "../anthropic.ts";
import { bedrock } from "../bedrock.ts";
import { gemini } from "../gemini.ts";
import { openaiChat, openaiResponses } from "../openai.ts";
import type { Provider, RequestParts, ResponseContent } from "../provider.ts";
import { readStream } from "../stream.ts";

export type AnyProvider = Provider<unknown, unknown, unknown>;

/** One API of the simulator, and the adapter with the real client in front of it. */
export interface World {
  readonly model: string;
  face(options: { readonly script: Script }): HttpFace;
  /** @param url the address of a server with this API */
  connect(url: string): AnyProvider;
}

const openai = (url: string): OpenAI => new OpenAI({ apiKey: "none", baseURL: `${url}/v1` });

export type WorldName = "Anthropic" | "OpenAI Responses" | "OpenAI Chat" | "Gemini" | "Bedrock";

export const WORLDS: Readonly<Record<WorldName, World>> = {
  Anthropic: {
    model: "claude-opus-5-5",
    face: createAnthropic,
    connect: (url) => anthropic(new Anthropic({ apiKey: "none", baseURL: url })) as AnyProvider,
  },
  "OpenAI Responses": {
    model: "gpt-6-sol",
    face: createOpenAiResponses,
    connect: (url) => openaiResponses(openai(url)) as AnyProvider,
  },
  "OpenAI Chat": {
    model: "gpt-6-sol",
    face: createOpenAiChat,
    connect: (url) => openaiChat(openai(url)) as AnyProvider,
  },
  Gemini: {
    model: "gemini-4-argon",
    face: createGemini,
    connect: (baseUrl) =>
      gemini(
        // This client retries by default. The provider must switch that off.
        new GoogleGenAI({
          apiKey: "none",
          httpOptions: { baseUrl, retryOptions: { attempts: 3, initialDelay: 0.01 } },
        }),
      ) as AnyProvider,
  },
  Bedrock: {
    model: "us.anthropic.claude-opus-5-5",
    face: createBedrock,
    connect: (url) => bedrock(bedrockClient(url)) as AnyProvider,
  },
};

/** A client with its default retries, which the provider must switch off. It uses HTTP/2. */
export function bedrockClient(endpoint: string): BedrockRuntime {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "none" };
  return new BedrockRuntime({ region: "us-east-1", endpoint, credentials });
}

export const WORLD_NAMES = Object.keys(WORLDS) as readonly WorldName[];

/**
 * Returns the real client; the simulator answers its calls in this process.
 * @param answerFirst gets the body of every call, and may answer instead of the simulator
 */
export function anthropicInProcess(
  face: HttpFace,
  answerFirst: (body: string) => Response | undefined | Promise<Response | undefined> = () => undefined,
): Anthropic {
  const inProcess = fetchInProcess({ face });
  return new Anthropic({
    apiKey: "none",
    baseURL: "http://simulator.local",
    maxRetries: 0,
    fetch: async (url, init) => (await answerFirst(String(init?.body))) ?? inProcess(url, init),
  });
}

/** One pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

/** One served API of the simulator, and the adapter that calls it. */
export interface Served<Concrete extends Provider> extends Pick<SimulatorServer, "url" | "recorder"> {
  readonly provider: Concrete;
  /** Sends the usual request, with these parts replaced. */
  ask(fields?: Partial<RequestParts>): Promise<ResponseContent>;
}

/**
 * Serves one API of the simulator until the test has finished. `ask` calls the API through an adapter and its real
 * client.
 */
export async function askServed<Concrete extends Provider>(
  face: HttpFace,
  connect: (url: string) => Concrete,
  usual: RequestParts,
): Promise<Served<Concrete>> {
  const server = await serve({ faces: [face] });
  onTestFinished(() => server.close());
  const provider = connect(server.url);
  const ask = async (fields: Partial<RequestParts> = {}): Promise<ResponseContent> =>
    provider.readResponse(await readStream(provider.send(provider.renderRequest({ ...usual, ...fields }))));
  return { provider, ask, url: server.url, recorder: server.recorder };
}

import {
  type AsyncHttpFace,
  type Clock,
  createAnthropic,
  createBedrock,
  createGemini,
  createOpenAiResponses,
  type HttpCall,
  inputTokensOf,
  type Script,
  serve,
  type Usage,
} from "@palimpsest/provider-simulator";
import { kindOf, type RequestBody, type RequestKind } from "./read-request.ts";

/** A request that the simulator has answered. */
export interface SentRequest {
  readonly kind: RequestKind;
  readonly body: RequestBody;
  readonly atMs: number;
  readonly usage: Usage;
  /** The tokens of the prompt, as the simulator counts them. */
  readonly inputTokens: number;
  /** The tokens of the prompt that are in the cache once the answer has begun. */
  readonly leftTokens: number;
}

/** Changes a request on its way to the simulator: a fault that a control plants. */
export type EditRequest = (body: RequestBody, kind: RequestKind) => RequestBody;

/** The four services on one port, and the requests that they got. */
export interface SimulatedModels {
  readonly url: string;
  /** Answered requests, oldest first. */
  readonly sent: readonly SentRequest[];
  /** The messages of requests that were refused or that broke the simulator. */
  readonly refusals: readonly string[];
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly script: Script;
  readonly clock: Clock;
  readonly edit: EditRequest | undefined;
}

/** Starts the strict simulator with an empty cache. */
export async function serveModels({ script, clock, edit }: ServeOptions): Promise<SimulatedModels> {
  const sent: SentRequest[] = [];
  const refusals: string[] = [];

  async function answerCall(face: AsyncHttpFace, arrived: HttpCall): ReturnType<typeof record> {
    const body = parse(arrived.body);
    const kind = body === undefined ? "other" : kindOf(body);
    const edited = body === undefined || edit === undefined ? body : edit(body, kind);
    const call = edited === body ? arrived : withBody(arrived, JSON.stringify(edited));
    return record(await face.handle(call), kind, edited ?? {});
  }

  async function record(reply: Awaited<ReturnType<AsyncHttpFace["handle"]>>, kind: RequestKind, body: RequestBody) {
    if (reply === undefined) return undefined;
    const { outcome } = reply;
    if (outcome.kind === "refused" || outcome.kind === "broken") refusals.push(outcome.message);
    if (outcome.kind === "answered") {
      const { usage, cache } = outcome;
      const leftTokens = cache.tokensRead + cache.tokensWritten;
      sent.push({ kind, body, atMs: clock.now(), usage, inputTokens: inputTokensOf(usage), leftTokens });
    }
    return reply;
  }

  const faces = [
    createAnthropic({ script, clock }),
    createOpenAiResponses({ script, clock }),
    createBedrock({ script, clock }),
    createGemini({ script, clock }),
  ].map((face): AsyncHttpFace => ({ handle: (call) => answerCall(face, call) }));
  const server = await serve({ faces, clock });
  return { url: server.url, sent, refusals, close: () => server.close() };
}

function parse(text: string): RequestBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as RequestBody) : undefined;
  } catch {
    return undefined;
  }
}

function withBody(call: HttpCall, body: string): HttpCall {
  return { ...call, body, bytes: Buffer.from(body) };
}

import { createHash } from "node:crypto";
import { type Agent, type IncomingMessage, request } from "node:http";
import { answerOf, type Fault, statusOf } from "./faulty-upstream.ts";

/** What a client must never see. */
export type Harm = "altered" | "hung" | "lost";

export interface Sending {
  readonly number: string;
  readonly fault: Fault;
  readonly body: Buffer;
  /** A request that takes longer hangs. */
  readonly hungMs: number;
}

export interface SentThrough extends Pick<Sending, "number" | "fault"> {
  /** What the client sent. */
  readonly digest: string;
  readonly harm?: Harm;
  /** Whether the client has a whole answer of the model. */
  readonly isAnswered: boolean;
}

/** Sends one request through the proxy, and judges what comes back. */
export function sendThrough(url: string, agent: Agent, { number, fault, body, hungMs }: Sending): Promise<SentThrough> {
  const about = { number, fault, digest: createHash("sha256").update(body).digest("hex") };
  return new Promise((resolve) => {
    const end = (harm?: Harm, isAnswered = false): void => {
      clearTimeout(hung);
      resolve({ ...about, isAnswered, ...(harm === undefined ? {} : { harm }) });
      outgoing.destroy();
    };
    const hung = setTimeout(() => end("hung"), hungMs);
    const headers = {
      "x-number": number,
      "x-fault": fault,
      "session-id": `s${Number(number) % 50}`,
      "content-length": body.length,
    };
    const outgoing = request(`${url}/service/v1/messages`, { method: "POST", agent, headers });
    outgoing.on("error", () => end("lost"));
    outgoing.once("response", (message) => {
      const chunks: Buffer[] = [];
      message.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (fault === "client-leaves") end();
      });
      message.on("error", () => {});
      message.once("close", () => {
        const verdict = judge(message, Buffer.concat(chunks), number, fault);
        end(verdict, verdict === undefined && message.complete && isModelAnswer(message, fault));
      });
    });
    outgoing.end(body);
  });
}

/** A service may be killed in the middle of anything: then an error of the proxy, or an answer that visibly breaks off, is right. */
function judge(message: IncomingMessage, body: Buffer, number: string, fault: Fault): Harm | undefined {
  if (message.headers["x-palimpsest-proxy"] === "error") {
    const isClear =
      [502, 504].includes(message.statusCode!) && message.complete && body.includes('"message":"palimpsest proxy: ');
    return isClear ? undefined : "altered";
  }
  const expected = answerOf(number, fault);
  const isSame = message.statusCode === statusOf(fault) && message.headers["x-number"] === number;
  if (!isSame || !expected.subarray(0, body.length).equals(body)) return "altered";
  if (!message.complete) return undefined;
  // Whole to the client, so whole it must be; a service that cuts its answer never sends the end.
  return fault === "cut" || body.length !== expected.length ? "altered" : undefined;
}

function isModelAnswer({ headers }: IncomingMessage, fault: Fault): boolean {
  return headers["x-palimpsest-proxy"] === undefined && ["whole", "streamed", "packed", "slow"].includes(fault);
}

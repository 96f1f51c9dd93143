import type { HttpCall, HttpReply } from "../http-face.ts";
import { refusedReply } from "../replies.ts";
import { checkKey, requestHeaders } from "./http-replies.ts";
import { listModels } from "./list-models.ts";
import type { OpenAiModel } from "./models.ts";
import { type Problem, toRefusal, unparsableBody } from "./problem.ts";

export interface ReceiveOptions {
  /** Where this face takes requests. Both faces list the models. */
  readonly paths: readonly string[];
  readonly models: Readonly<Record<string, OpenAiModel>>;
  readonly keys: "required" | "not-asked";
  requestId(): string;
}

/** A call that has come as far as its parsed body. */
export interface ReceivedCall {
  readonly kind: "received";
  readonly request: unknown;
  readonly account: string;
}

/** What comes before a face's own work: whose call it is, the key, the models, the body. Undefined: not for this face. */
export function receiveCall(call: HttpCall, options: ReceiveOptions): ReceivedCall | HttpReply | undefined {
  const refuse = (problem: Problem): HttpReply => refusedReply(toRefusal(problem), requestHeaders(options.requestId()));
  const keyless = options.keys === "required" ? checkKey(call) : undefined;
  if (call.method !== "POST") {
    const listed = listModels(call, options.models, options.requestId);
    return listed !== undefined && keyless !== undefined ? refuse(keyless) : listed;
  }
  if (!options.paths.includes(call.path)) return undefined;
  if (keyless !== undefined) return refuse(keyless);
  try {
    const account = call.headers["authorization"] ?? "default";
    return { kind: "received", request: JSON.parse(call.body) as unknown, account };
  } catch {
    return refuse(unparsableBody());
  }
}

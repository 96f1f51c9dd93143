import type { HttpCall, HttpReply } from "../http-face.ts";
import { freeReply, refusedReply } from "../replies.ts";
import { requestHeaders } from "./http-replies.ts";
import { findModel, type OpenAiModel } from "./models.ts";
import { modelNotFound, toRefusal } from "./problem.ts";

const PATH = "/v1/models";

/** GET /v1/models and /v1/models/{id}. With an `anthropic-version` header the same paths are another provider's. */
export function listModels(
  call: HttpCall,
  models: Readonly<Record<string, OpenAiModel>>,
  requestId: () => string,
): HttpReply | undefined {
  if (call.method !== "GET" || call.headers["anthropic-version"] !== undefined) return undefined;
  if (call.path === PATH) {
    return freeReply({ object: "list", data: Object.values(models).map(describe) }, requestHeaders(requestId()));
  }
  if (!call.path.startsWith(`${PATH}/`)) return undefined;
  const id = decode(call.path.slice(PATH.length + 1));
  const model = findModel(id, models);
  if (model === undefined) return refusedReply(toRefusal(modelNotFound(id)), requestHeaders(requestId()));
  return freeReply(describe({ ...model, id }), requestHeaders(requestId()));
}

/** OpenAI's model endpoint says nothing about windows and limits. */
function describe({ id }: OpenAiModel): object {
  return { id, object: "model", created: 1_767_225_600, owned_by: "system", shutdown_date: null };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

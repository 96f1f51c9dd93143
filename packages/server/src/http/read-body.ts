import type { IncomingMessage } from "node:http";
import { type Problem, problem } from "./problems.ts";
import type { Route } from "./route.ts";

export type ReadBody = { readonly kind: "read"; readonly value: unknown } | Problem;

/** Reads the JSON body of a request, if its route wants one. */
export async function readBody(
  request: IncomingMessage,
  { body, bodyIs }: Pick<Route, "body" | "bodyIs">,
  maxBytes: number,
): Promise<ReadBody> {
  if (body === undefined) return { kind: "read", value: undefined };
  const chunks: Buffer[] = [];
  let bytes = Number(request.headers["content-length"] ?? 0);
  if (bytes <= maxBytes) {
    bytes = 0;
    // Without `destroyOnReturn` the connection would be gone before the refusal is sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  }
  if (bytes > maxBytes) {
    const most = maxBytes.toLocaleString("en-US");
    // The rest of the body is not read, so that the connection cannot be used again.
    return problem("body-too-large", `The body has more than ${most} bytes. Send less, or several messages.`, {
      headers: { connection: "close" },
    });
  }
  const text = Buffer.concat(chunks).toString("utf8");
  if (text === "" && bodyIs === "optional") return { kind: "read", value: {} };
  const mediaType = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json")
    return problem("wrong-media-type", "Send the body as JSON, with the header Content-Type: application/json.");
  try {
    return { kind: "read", value: JSON.parse(text) };
  } catch (error) {
    return problem("invalid-request", `The body is no valid JSON: ${(error as Error).message}.`);
  }
}

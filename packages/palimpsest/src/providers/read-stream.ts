import { checkArgument, withMethods } from "../schema/check-options.ts";
import type { StreamPart } from "./provider.ts";

/** Reads a stream to its end and returns the whole response. Calls the listener, if any, with each part. */
export async function readStream<Response>(
  parts: AsyncGenerator<StreamPart, Response>,
  onPart: (part: StreamPart) => void = () => {},
): Promise<Response> {
  checkArgument("readStream(parts)", parts, withMethods(["next"], "what provider.send(request) returns"));
  for (;;) {
    const next = await parts.next();
    if (next.done === true) return next.value;
    onPart(next.value);
  }
}

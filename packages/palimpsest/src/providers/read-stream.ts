import { checkArgument, withMethods } from "../log/check-options.ts";
import type { StreamPart } from "./provider.ts";

/** The whole response at the end of a stream; who wants to see its parts is told of each. */
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

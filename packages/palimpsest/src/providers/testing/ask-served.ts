import { type HttpFace, type SimulatorServer, serve } from "@palimpsest/provider-simulator";
import { onTestFinished } from "vitest";
import type { Provider, RequestParts, ResponseContent } from "../provider.ts";
import { readStream } from "../read-stream.ts";

/** One pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

export interface Served<Request, Response, Message> extends Pick<SimulatorServer, "url" | "recorder"> {
  readonly provider: Provider<Request, Response, Message>;
  /** Sends the usual request, with some of its parts replaced. */
  ask(fields?: Partial<RequestParts<Message>>): Promise<ResponseContent>;
}

/**
 * Serves one API of the simulator until the test has finished, and calls it through an adapter with its real client.
 */
export async function askServed<Request, Response, Message>(
  face: HttpFace,
  connect: (url: string) => Provider<Request, Response, Message>,
  usual: RequestParts<Message>,
): Promise<Served<Request, Response, Message>> {
  const server = await serve({ faces: [face] });
  onTestFinished(() => server.close());
  const provider = connect(server.url);
  const ask = async (fields: Partial<RequestParts<Message>> = {}): Promise<ResponseContent> =>
    provider.readResponse(await readStream(provider.send(provider.renderRequest({ ...usual, ...fields }))));
  return { provider, ask, url: server.url, recorder: server.recorder };
}

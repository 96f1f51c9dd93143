import Anthropic from "@anthropic-ai/sdk";
import { fetchInProcess, type HttpFace } from "@palimpsest/provider-simulator";

/**
 * The real client, answered by the simulator in this process.
 * @param answerFirst sees the body of every call, and may answer in the place of the simulator
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

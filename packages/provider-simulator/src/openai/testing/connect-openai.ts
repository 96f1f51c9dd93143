import OpenAI, { APIError } from "openai";
import { expect, onTestFinished } from "vitest";
import type { HttpFace } from "../../http-face.ts";
import { answer, type Reply, type Script } from "../../script.ts";
import { type SimulatorServer, serve } from "../../server.ts";

/** The real client before these faces, until the test has finished. It does not try again by itself. */
export async function connectOpenAi(
  ...faces: readonly HttpFace[]
): Promise<{ readonly client: OpenAI; readonly server: SimulatorServer }> {
  const server = await serve({ faces });
  onTestFinished(() => server.close());
  return { client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 }), server };
}

/** What the client makes of a failure. */
export async function failure(work: Promise<unknown>): Promise<APIError> {
  const error: unknown = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

/** A model whose every answer meets this fault. */
export const withFault =
  (fault: NonNullable<Reply["fault"]>): Script =>
  () => ({ ...answer("A longer answer, in several pieces."), fault });

import type { SessionHost } from "./host/session-host.ts";
import { openApiDocument } from "./open-api-document.ts";

export interface OpenAnswer {
  readonly status: 200 | 503;
  readonly body: object;
}

export interface OpenAnswerOptions {
  readonly host: Pick<SessionHost, "health">;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  onError(error: unknown): void;
}

/** Makes a function that answers what needs no token: health, and the description of the API. Undefined for everything else. */
export function openAnswers({
  host,
  stopping,
  onError,
}: OpenAnswerOptions): (address: string) => Promise<OpenAnswer | undefined> {
  const document = openApiDocument();

  async function readiness(): Promise<OpenAnswer> {
    if (stopping.aborted) return down("the server is stopping");
    try {
      const { state, problems } = (await host.health?.()) ?? { state: "ready", problems: [] };
      return { status: state === "down" ? 503 : 200, body: { state, problems } };
    } catch (error) {
      onError(error);
      return down("the health of the host could not be read");
    }
  }

  return async (address) => {
    switch (address) {
      case "GET /health/live":
        return { status: 200, body: { state: "live" } };
      case "GET /health/ready":
        return readiness();
      case "GET /v1/openapi.json":
        return { status: 200, body: document };
      default:
        return undefined;
    }
  };
}

function down(problem: string): OpenAnswer {
  return { status: 503, body: { state: "down", problems: [problem] } };
}

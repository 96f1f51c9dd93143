import type { Problem } from "./wire.ts";

/** The server has refused a request. The message says what to do; `code` is for programs. */
export class ApiError extends Error {
  readonly problem: Problem;
  readonly status: number;
  readonly code: string;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "ApiError";
    this.problem = problem;
    this.status = problem.status;
    this.code = problem.code;
  }
}

/** The problem in a reply. A proxy may have answered instead of the server: then there is no problem in it. */
export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text();
  const { status } = response;
  try {
    const problem = JSON.parse(text) as Problem;
    if (typeof problem.code === "string" && typeof problem.detail === "string") return new ApiError(problem);
  } catch {
    // Told below.
  }
  const detail = `The server answered with status ${status}, and not as a server of sessions does. Check the url. It says: ${text.slice(0, 200)}`;
  return new ApiError({ type: "about:blank", title: response.statusText, status, detail, code: "not-an-api" });
}

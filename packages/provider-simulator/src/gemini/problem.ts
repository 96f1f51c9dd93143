import type { Refusal } from "../verdict.ts";

/** A broken rule, in the words of the service. */
export interface Problem {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly details?: readonly object[];
}

export function invalidArgument(message: string): Problem {
  return { code: 400, status: "INVALID_ARGUMENT", message };
}

/** A field of the request that breaks a rule; several are listed in one message, each on a line (new-api#632). */
export function invalidFields(violations: readonly { readonly field: string; readonly rule: string }[]): Problem {
  return invalidArgument(violations.map(({ field, rule }) => `* GenerateContentRequest.${field}: ${rule}\n`).join(""));
}

/** A body that does not fit the service's types; with the places, as ai.nvim#13 shows them. */
export function unreadable(violations: readonly { readonly field: string; readonly description: string }[]): Problem {
  const fieldViolations = violations.map(({ field, description }) =>
    field === "" ? { description } : { field, description },
  );
  return {
    ...invalidArgument(violations.map(({ description }) => description).join("\n")),
    details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }],
  };
}

export function modelNotFound(id: string, method: string): Problem {
  const message =
    `models/${id} is not found for API version v1beta, or is not supported for ${method}. Call ListModels to see the list of ` +
    "available models and their supported methods.";
  return { code: 404, status: "NOT_FOUND", message };
}

/** From memory. */
export function keyMissing(): Problem {
  const message =
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of " +
    "API consumer identity to call this API.";
  return { code: 403, status: "PERMISSION_DENIED", message };
}

export function toRefusal({ code, status, message, details }: Problem): Refusal {
  const error = { code, message, status, details };
  return { kind: "refused", status: code, headers: {}, body: { error }, message };
}

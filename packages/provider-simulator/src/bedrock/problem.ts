import type { Refusal } from "../verdict.ts";

/** A broken rule: the name of the exception, which stands in a header, and its message. */
export interface Problem {
  readonly status: number;
  readonly exception: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function validation(message: string): Problem {
  return { status: 400, exception: "ValidationException", message };
}

/** Rules of the model itself: its words, forwarded (langchain-aws#451, moca#254, gateway#1762). */
export function fromModel(message: string): Problem {
  return validation(`The model returned the following errors: ${message}`);
}

/** hermes-agent#90008, with its space; several are told together, as all services of this host do. */
export function constraints(broken: readonly string[]): Problem {
  const count = `${broken.length} validation error${broken.length === 1 ? "" : "s"} detected`;
  return validation(`${count}: ${broken.join("; ")}`);
}

/** A value of another type. The exception is known; its words were not seen. */
export function serialization(message: string): Problem {
  return { status: 400, exception: "SerializationException", message };
}

/** claude-code#1466, with its apostrophe. */
export function needsProfile(modelId: string): Problem {
  return validation(
    `Invocation of model ID ${modelId} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an ` +
      "inference profile that contains this model.",
  );
}

/** From memory, as the next. */
export function unknownModel(): Problem {
  return validation("The provided model identifier is invalid.");
}

export function notSigned(): Problem {
  return { status: 403, exception: "MissingAuthenticationTokenException", message: "Missing Authentication Token" };
}

/** The form of the type is from amazon-bedrock-client-for-mac#99. */
export function toRefusal({ status, exception, message, headers }: Problem): Refusal {
  const type = `${exception}:http://internal.amazon.com/coral/com.amazon.bedrock/`;
  return {
    kind: "refused",
    status,
    headers: { "x-amzn-errortype": type, ...headers },
    body: { message },
    message,
  };
}

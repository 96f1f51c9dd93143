import type { IncomingHttpHeaders } from "node:http";
import type { WireApi } from "../../transcripts/readers/wire.ts";

export type { WireApi };

interface ApiFields {
  /** The list of messages. */
  readonly items: string;
  readonly system: string;
  /** Fields beside system prompt, tools and messages on which the services' caches depend. */
  readonly parameters: readonly string[];
}

/** The names of fields in the bodies of requests. */
export const API_FIELDS: Readonly<Record<WireApi, ApiFields>> = {
  messages: { items: "messages", system: "system", parameters: ["thinking", "tool_choice", "output_config", "speed"] },
  responses: { items: "input", system: "instructions", parameters: ["reasoning", "tool_choice", "text"] },
  // The system prompt is the first message.
  chat: { items: "messages", system: "none", parameters: ["reasoning_effort", "tool_choice", "response_format"] },
};

/** The API that a path belongs to. Undefined: another one, which is forwarded and not looked at. */
export function apiOf(method: string, path: string): WireApi | undefined {
  if (method !== "POST") return undefined;
  const [address = ""] = path.split("?");
  if (address.endsWith("/v1/messages")) return "messages";
  if (address.endsWith("/responses")) return "responses";
  return address.endsWith("/chat/completions") ? "chat" : undefined;
}

/** Headers in which agents name their session, as seen on the wire. */
const SESSION_HEADERS = ["x-claude-code-session-id", "session-id", "session_id", "x-session-affinity"];
const AGENT_HEADERS = ["x-claude-code-agent-id"];

/** The names that a client gives to its session and to the agent that asks. */
export interface GivenNames {
  readonly session?: string;
  readonly agent?: string;
}

export function namesIn(headers: IncomingHttpHeaders): GivenNames {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => headers[name]).find((value) => typeof value === "string" && value.trim() !== "") as
      | string
      | undefined;
  const [session, agent] = [first(SESSION_HEADERS), first(AGENT_HEADERS)];
  return { session, agent };
}

/** A block of Claude Code that is different in each request, and that its service does not cache (claude-code#68900). */
export function isNonce(block: string): boolean {
  return /"text"\s*:\s*"x-anthropic-billing-header/.test(block);
}

/** Headers that logs and recordings may have. All others may prove who asks, whatever their name. */
const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  ...SESSION_HEADERS,
  ...AGENT_HEADERS,
  "content-type",
  "content-encoding",
  "accept",
  "user-agent",
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
]);

export function shownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => SHOWN_HEADERS.has(name)));
}

/** Headers that prove who asks. */
const CREDENTIAL_HEADERS: readonly string[] = [
  "authorization",
  "x-api-key",
  "api-key",
  "cookie",
  "proxy-authorization",
  "x-goog-api-key",
  "set-cookie",
];

/** Headers of an answer. Their names are in small letters. */
export function withoutCredentials(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIAL_HEADERS.includes(name)));
}

/** All credentials of a request as one text, to be hashed at once. */
export function credentialOf(headers: IncomingHttpHeaders): string {
  return JSON.stringify(CREDENTIAL_HEADERS.map((name) => headers[name] ?? null));
}

/** Whether a request is paid by key, and not by a subscription: subscription traffic is never changed. */
export function isPaidByKey(headers: IncomingHttpHeaders): boolean {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (bearer !== undefined) return bearer.startsWith("sk-") && !bearer.startsWith("sk-ant-oat");
  return typeof headers["x-api-key"] === "string" || typeof headers["api-key"] === "string";
}

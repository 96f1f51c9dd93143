import type { IncomingMessage } from "node:http";
import type { ProxyProblem } from "./proxy-error.ts";

const HOSTS = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Web pages may send requests to this machine. None of them is a client: no page gets an answer, whatever name it uses for us. */
export function whyRefused({ headers }: IncomingMessage): ProxyProblem | undefined {
  if (headers.origin !== undefined || !["none", undefined].includes(headers["sec-fetch-site"] as string | undefined)) {
    return { status: 403, code: "from-a-page", message: "Requests of web pages are refused." };
  }
  if (!HOSTS.test(headers.host ?? "")) {
    return { status: 403, code: "unknown-host", message: "Use the address 127.0.0.1 or localhost." };
  }
  if (headers.upgrade?.toLowerCase() !== "websocket") return undefined;
  return {
    status: 501,
    code: "no-web-sockets",
    message: "Web sockets are not forwarded. Set your client to plain HTTP.",
  };
}

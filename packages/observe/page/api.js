import { isCopy, readCopy } from "./copy.js";

/** An answer of the server that is no success. */
class ServerError extends Error {
  constructor(status, { code, message }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Reads from the server, or from the page itself if it is a copy. @param {AbortSignal} [signal] ends the reading when nobody waits for it any more */
export async function get(path, signal) {
  if (isCopy) return readCopy(path);
  const response = await fetch(path, { signal });
  const value = await response.json();
  if (!response.ok) throw new ServerError(response.status, value.error);
  return value;
}

/** Asks the server to change something. */
export async function post(path) {
  const response = await fetch(path, { method: "POST" });
  const value = await response.json();
  if (!response.ok) throw new ServerError(response.status, value.error);
  return value;
}

/** Exchanges the token of the address for a cookie, and takes the token out of the address. */
export async function enter(token) {
  const response = await fetch("/api/enter", { method: "POST", body: token });
  if (!response.ok) throw new ServerError(response.status, (await response.json()).error);
}

import { expect, test } from "vitest";
import { createSend } from "./send.ts";

/** Answers with these statuses, one after another; 0 is a broken connection. */
function sender(statuses: readonly number[], body = "{}") {
  const left = [...statuses];
  const send = createSend({
    url: "http://x.example",
    token: "t",
    retryMs: 1,
    maxTries: 3,
    fetch: async () => {
      const status = left.shift() ?? 200;
      if (status === 0) throw new TypeError("fetch failed");
      return new Response(body, { status });
    },
  });
  return { send, left };
}
const GET = { method: "GET", path: "/v1/sessions" } as const;
const POST = { method: "POST", path: "/v1/sessions" } as const;

test("what does no harm is sent again after failures that may pass", async () => {
  const { send, left } = sender([0, 503]);
  expect((await send(GET)).status).toBe(200);
  expect(left).toEqual([]);
  await expect(sender([0, 0, 0]).send(GET)).rejects.toThrow("fetch failed");
  const free = sender([0, 504]);
  expect((await free.send({ ...POST, repeat: "free" })).status).toBe(200);
});

test("what may have been done is not sent again, unless it was refused before", async () => {
  await expect(sender([0]).send(POST)).rejects.toThrow("fetch failed");
  await expect(sender([504]).send(POST)).rejects.toMatchObject({ status: 504 });
  expect((await sender([429, 503]).send(POST)).status).toBe(200);
});

test("a refusal is an error with the server's words, or says that nobody of ours answered", async () => {
  const problem = JSON.stringify({ code: "session-busy", detail: "Wait.", status: 409, title: "", type: "" });
  await expect(sender([409], problem).send(GET)).rejects.toMatchObject({
    code: "session-busy",
    message: "Wait.",
    status: 409,
  });
  await expect(sender([404], "<html>nginx").send(GET)).rejects.toMatchObject({
    code: "not-an-api",
    message: expect.stringContaining("Check the url. It says: <html>nginx"),
  });
});

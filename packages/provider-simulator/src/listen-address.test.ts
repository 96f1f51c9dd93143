import { expect, onTestFinished, test } from "vitest";
import { toListenAddress } from "./listen-address.ts";
import { serve } from "./server.ts";

const token = "0123456789abcdef";

test("without an address everybody on this machine may call, and nobody else", () => {
  const { host, admits } = toListenAddress(undefined);
  expect([host, admits({})]).toEqual(["127.0.0.1", true]);
});

test("other machines need a token that cannot be guessed", () => {
  expect(() => toListenAddress({ host: "0.0.0.0", token: "short" })).toThrow(
    "The token for 0.0.0.0 has 5 characters; at least 16 are needed",
  );
  expect(() => toListenAddress({ host: "0.0.0.0" } as never)).toThrow("has 0 characters");
  expect(() => toListenAddress({ token } as never)).toThrow("beyondLoopback.host must be an address.");
  expect(toListenAddress({ host: "::1", token }).urlHost).toBe("[::1]");
});

test.each([
  [{ authorization: `Bearer ${token}` }, true],
  [{ authorization: `bearer  ${token}` }, true],
  [{ "x-api-key": token }, true],
  [{ "x-goog-api-key": token }, true],
  [{ authorization: "AWS4-HMAC-SHA256 ...", "x-simulator-token": token }, true],
  [{}, false],
  [{ authorization: `Bearer ${token}0` }, false],
  [{ "x-api-key": token.slice(1) }, false],
  [{ "x-other": token }, false],
])("%j: %s", (headers, admitted) => {
  expect(toListenAddress({ host: "0.0.0.0", token }).admits(headers)).toBe(admitted);
});

test("a stranger is refused before its request is read, and is not recorded", async () => {
  const seen: string[] = [];
  const server = await serve({
    beyondLoopback: { host: "0.0.0.0", token },
    faces: [
      {
        handle({ path }) {
          seen.push(path);
          return { kind: "json", status: 200, headers: {}, body: {}, outcome: { kind: "free" } };
        },
      },
    ],
  });
  onTestFinished(() => server.close());
  expect(server.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  const stranger = await fetch(`${server.url}/secret`);
  expect(stranger.status).toBe(401);
  expect(await stranger.text()).toContain("The simulator's token is missing or wrong.");
  const guest = await fetch(`${server.url}/known`, { headers: { authorization: `Bearer ${token}` } });
  expect([guest.status, seen, server.recorder.exchanges.length]).toEqual([200, ["/known"], 1]);
});

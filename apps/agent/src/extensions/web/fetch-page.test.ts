import { createServer, type RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type FetchPageOptions, fetchPage } from "./fetch-page.ts";
import { pageText } from "./web-fetch.ts";

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

const local = (options: Partial<FetchPageOptions> = {}): FetchPageOptions => ({
  signal: new AbortController().signal,
  mayReach: (address) => address === "127.0.0.1",
  resolve: async () => ["127.0.0.1"],
  ...options,
});

test("follows redirects, and returns the page", async () => {
  const port = await serve(({ url, headers }, response) => {
    if (url === "/old") response.writeHead(302, { location: "/new" }).end();
    else response.setHeader("content-type", "text/html; charset=utf-8").end(`<p>Hi \u001b[31m${headers.host}</p>`);
  });
  const page = await fetchPage(`http://site.example:${port}/old`, local());
  expect(page).toMatchObject({ kind: "page", url: `http://site.example:${port}/new`, status: 200, rest: "complete" });
  expect(page.kind === "page" && (await pageText(page))).toBe(`Hi site.example:${port}`);
});

test("refuses local addresses by default", async () => {
  let reached = 0;
  const port = await serve((_, response) => {
    reached++;
    response.end();
  });
  const { signal } = new AbortController();
  for (const host of ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"]) {
    const page = await fetchPage(`http://${host}:${port}/`, { signal });
    expect(page).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("no address of the public internet"),
    });
  }
  expect(reached).toBe(0);
});

test("resolves a name once, and requires all its addresses to be public", async () => {
  const port = await serve((_, response) => response.end("page"));
  let asked = 0;
  const resolve = async () => {
    asked++;
    return ["127.0.0.1"];
  };
  expect((await fetchPage(`http://x.example:${port}/`, local({ resolve }))).kind).toBe("page");
  expect(asked).toBe(1);
  const mixed = local({ resolve: async () => ["127.0.0.1", "10.0.0.1"] });
  expect((await fetchPage(`http://x.example:${port}/`, mixed)).kind).toBe("refused");
});

test("limits size, time and redirects", async () => {
  const port = await serve(({ url }, response) => {
    if (url === "/endless")
      response.on("drain", () => response.write("x".repeat(65_536))).write("x".repeat(65_536 * 4));
    else if (url === "/circle") response.writeHead(302, { location: "/circle" }).end();
    else if (url === "/packed") response.writeHead(200, { "content-encoding": "gzip" }).end("x");
    else response.write("slow");
  });
  const get = (path: string, options: Partial<FetchPageOptions> = {}) =>
    fetchPage(`http://x.example:${port}${path}`, local({ timeoutMs: 1_000, ...options }));
  const endless = await get("/endless", { maxBytes: 100_000 });
  expect(endless.kind === "page" && [endless.body.length, endless.rest]).toEqual([100_000, "cut"]);
  expect(await get("/circle")).toMatchObject({ reason: expect.stringContaining("more than 5 redirects") });
  expect(await get("/packed")).toMatchObject({ reason: expect.stringContaining("compressed") });
  expect(await get("/slow", { timeoutMs: 200 })).toMatchObject({ reason: expect.stringContaining("more than 0.2 s") });
  await expect(get("/slow", { signal: AbortSignal.timeout(50) })).rejects.toThrow();
});

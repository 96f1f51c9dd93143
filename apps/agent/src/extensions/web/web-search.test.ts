import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { decidePermission } from "../../permissions/decide-permission.ts";
import { toPermissionCall } from "../../permissions/permission-call.ts";
import { readRule } from "../../permissions/rule.ts";
import type { SearchProvider } from "../../permissions/settings-schema.ts";
import { call, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import { type ChosenSearch, chooseSearch, webSearchTool } from "./web-search.ts";

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A search service that always gives the same answer. */
async function standIn({ status = 200, headers = {}, body }: Answer) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ method: request.method, url: request.url, headers: request.headers, body: await text(request) });
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { readonly port: number };
  return { asked, url: `http://127.0.0.1:${port}` };
}

async function searchWith(provider: SearchProvider, answer: Answer, query = "tide & time") {
  const { asked, url } = await standIn(answer);
  const tool = webSearchTool(chooseSearch({ provider, url, key: "secret-key" }, {}) as ChosenSearch);
  const { folder } = temporaryProject();
  const outcome = await call(tool, { query }, { folder });
  return { asked, status: outcome.status, shown: await textOf(outcome) };
}

test("Brave gets the key in its header, and its results lose their tags", async () => {
  const body = {
    web: {
      results: [
        { title: "Tides &amp; <strong>time</strong>", url: "https://a.example/x", description: "<b>Twice</b> a day" },
      ],
    },
  };
  const { asked, shown } = await searchWith("brave", { body });
  expect(asked).toMatchObject([
    {
      method: "GET",
      url: "/res/v1/web/search?q=tide+%26+time&count=10",
      headers: { "x-subscription-token": "secret-key" },
    },
  ]);
  expect(shown).toBe('Brave found for "tide & time":\n\n1. Tides & time\n   https://a.example/x\n   Twice a day');
});

test("Tavily gets a POST request with the key as a bearer token", async () => {
  const body = { results: [{ title: "One", url: "https://a.example/", content: "1 < 2", score: 0.9 }] };
  const { asked, shown } = await searchWith("tavily", { body });
  expect(asked).toMatchObject([{ method: "POST", url: "/search", headers: { authorization: "Bearer secret-key" } }]);
  expect(JSON.parse(asked[0]!.body)).toEqual({ query: "tide & time", max_results: 10 });
  expect(shown).toContain("1. One\n   https://a.example/\n   1 < 2");
});

test("SearXNG gets no key, and a server without JSON produces a hint", async () => {
  const { asked, shown } = await searchWith("searxng", { body: { results: [] } });
  expect(asked).toMatchObject([{ method: "GET", url: "/search?q=tide+%26+time&format=json" }]);
  expect(JSON.stringify(asked)).not.toContain("secret-key");
  expect(shown).toBe('SearXNG found nothing for "tide & time".');
  const forbidden = await searchWith("searxng", { status: 403, body: "no" });
  expect(forbidden).toMatchObject({ status: "error", shown: expect.stringContaining("json in search.formats") });
});

test("results stay on their lines, and need a web address", async () => {
  const results = [
    {
      title: "Fine\n2. Fake\n   https://bank.example",
      url: "https://a.example/",
      content: "\u001b[31mred\u001b[0m\n\nIgnore",
    },
    { title: "Script", url: "javascript:alert(1)", content: "" },
    { title: "Long", url: "https://b.example/", content: "x".repeat(5_000) },
    ...Array.from({ length: 20 }, (_, index) => ({ title: "More", url: `https://c.example/${index}`, content: "" })),
  ];
  const { shown } = await searchWith("searxng", { body: { results } });
  const lines = shown.split("\n");
  expect(lines[2]).toBe("1. Fine 2. Fake https://bank.example");
  expect(lines[4]).toBe("   red Ignore");
  expect(shown).not.toContain("javascript:");
  expect(lines.every((line) => line.length <= 604)).toBe(true);
  expect(lines.filter((line) => /^\d+\. /.test(line)).length).toBe(10);
});

test.each([
  [{ status: 401, body: {} }, "refuses the key (status 401). The user can set another one: BRAVE_API_KEY."],
  [{ status: 429, body: {} }, "allows no more searches for now (status 429)"],
  [{ status: 500, body: "oh" }, "127.0.0.1 answers with status 500."],
  [{ body: "<html>" }, "127.0.0.1 does not answer with JSON results."],
  [{ body: "x".repeat(1_000_001) }, "the answer has more than 1000000 bytes"],
] as const)("a search that fails says why: %#", async (answer, why) => {
  const { status, shown } = await searchWith("brave", answer);
  expect({ status, shown }).toEqual({ status: "error", shown: expect.stringContaining(why) });
  expect(shown).not.toContain("secret-key");
});

test("does not follow redirects, which would send the key elsewhere", async () => {
  const other = await standIn({ body: {} });
  const { shown } = await searchWith("tavily", { status: 302, headers: { location: other.url }, body: "" });
  expect(shown).toContain("status 302");
  expect(other.asked).toEqual([]);
});

test("rejects an empty or long query", async () => {
  const { asked, status } = await searchWith("brave", { body: {} }, "x".repeat(401));
  expect({ asked, status }).toEqual({ asked: [], status: "error" });
});

test("asks the user for the service's host, unless a rule decides", async () => {
  const { folder } = temporaryProject();
  const tool = webSearchTool(chooseSearch(undefined, { BRAVE_API_KEY: "k" }) as ChosenSearch);
  const asked = await toPermissionCall(
    tool,
    { query: "tides" },
    { guard: await createPathGuard(folder), home: folder },
  );
  const decide = (...rules: readonly string[]) =>
    decidePermission(
      "auto",
      rules.map((rule) => readRule(rule, "allow", "user")!),
      asked,
    );
  expect(decide()).toMatchObject({ decision: "ask", reason: "It wants to reach api.search.brave.com." });
  expect(decide("WebSearch(api.search.brave.com)").decision).toBe("allow");
  expect(decide("Network").decision).toBe("allow");
  expect(decide("WebFetch(api.search.brave.com)").decision).toBe("ask");
  const denied = [readRule("WebSearch", "deny", "project")!];
  expect(decidePermission("bypass", denied, asked).decision).toBe("deny");
});

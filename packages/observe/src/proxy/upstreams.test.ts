import { expect, test } from "vitest";
import { checkUpstreams, findRoute } from "./upstreams.ts";

const upstreams = checkUpstreams({
  a: "https://a.example",
  below: "https://b.example/base/",
  here: "http://127.0.0.1:8000",
});
const pathOf = (target: string): string | undefined => {
  const route = findRoute(upstreams, target);
  return route && `${route.origin.host}${route.path}`;
};

test("the first part of a path names the service; the rest is the path there", () => {
  expect(pathOf("/a/v1/messages?x=1")).toBe("a.example/v1/messages?x=1");
  expect(pathOf("/below/v1/messages")).toBe("b.example/base/v1/messages");
  expect(pathOf("/here")).toBe("127.0.0.1:8000/");
  expect(pathOf("/a?x=1")).toBe("a.example/?x=1");
});

test.each(["/", "", "/b/v1", "http://a.example/v1", "//a/v1", "/A/v1", "a/v1", "*", "/__proto__/v1"])(
  "%s leads nowhere",
  (target) => {
    expect(pathOf(target)).toBeUndefined();
  },
);

test.each([
  ...["/below/..", "/below/../admin", "/below/v1/../../admin?x=1", "/below/./v1", "/below/%2e%2E/admin"],
  ...["/below/.%2e/admin", "/below/..%2fadmin", "/below/x%2F..%2f..", "/below/..\\admin", "/below/..;/admin"],
])("%s would leave the path of the service", (target) => {
  expect(pathOf(target)).toBeUndefined();
});

test("dots that lead nowhere else are part of a name", () => {
  expect(pathOf("/below/v1/..models/a...b/.c?next=../d")).toBe("b.example/base/v1/..models/a...b/.c?next=../d");
});

test.each([{}, { "A!": "https://a.example" }, { a: "http://a.example" }, { a: "https://a.example?x" }])(
  "%j is no list of services",
  (given) => {
    expect(() => checkUpstreams(given as Record<string, string>)).toThrow(TypeError);
  },
);

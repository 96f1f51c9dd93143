import fc from "fast-check";
import { expect, test } from "vitest";
import { compareFields } from "./run-probes.ts";
import { type Exchange, eventOrder, wireFields } from "./wire-fields.ts";

const json = (body: unknown, status = 200): Exchange => ({ path: "/", status, answer: { kind: "json", body } });
const stream = (...events: unknown[]): Exchange => ({ path: "/", status: 200, answer: { kind: "stream", events } });

test("ignores the model's text, and compares the protocol's fields", () => {
  const said = { id: "a", role: "assistant", content: [{ type: "text", text: "yes" }], usage: { input_tokens: 7 } };
  const other = { id: "b", role: "assistant", content: [{ type: "text", text: "no" }], usage: { input_tokens: 900 } };
  expect(compareFields(wireFields([json(said)]), wireFields([json(other)]))).toEqual([]);
  const changed = { ...other, role: "model", usage: { input_tokens: "900", output_tokens: 1 } };
  expect(compareFields(wireFields([json(changed)]), wireFields([json(said)]))).toEqual([
    { field: "role", actual: '"model"', simulated: '"assistant"' },
    { field: "usage.input_tokens", actual: "text", simulated: "number" },
    { field: "usage.output_tokens", actual: "number" },
  ]);
});

test("any answer equals itself, and a removed field is named", () => {
  const names = fc.string({ minLength: 1 }).filter((name) => !/[.[\]]/.test(name) && name !== "__proto__");
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue(), { minKeys: 1 }), fc.nat(), (body, index) => {
      const whole = wireFields([json(body)]);
      expect(compareFields(whole, whole)).toEqual([]);
      const name = Object.keys(body)[index % Object.keys(body).length]!;
      const { [name]: _, ...rest } = body;
      const differences = compareFields(wireFields([json(rest)]), whole);
      for (const { field, actual } of differences) {
        expect(field.startsWith(name)).toBe(true);
        expect(actual).toBeUndefined();
      }
      expect(differences.length).toBeGreaterThan(0);
    }),
  );
});

test("an answer with another status lists only its own fields", () => {
  const refused = wireFields([
    json({ error: { type: "overloaded_error", message: "Wait 30 s (req_abcdefgh1)" } }, 529),
  ]);
  const taken = wireFields([json({ id: "a", content: [], usage: {} })]);
  expect(compareFields(refused, taken).map(({ field, actual }) => `${field}: ${actual}`)).toEqual([
    "HTTP status: 529",
    'error.message: "Wait N s (ID)"',
    'error.type: "overloaded_error"',
  ]);
});

test("the order of events ignores pieces and pings", () => {
  const delta = { type: "content_block_delta", delta: { type: "text_delta", text: "a" } };
  const few = stream({ type: "message_start" }, { type: "ping" }, delta, { type: "message_stop" });
  const many = stream({ type: "message_start" }, delta, delta, { type: "ping" }, delta, { type: "message_stop" });
  expect(eventOrder([few])).toBe("message_start, content_block_delta (text_delta), message_stop");
  expect(eventOrder([many])).toBe(eventOrder([few]));
  const chunk = (delta: object, finish_reason: string | null = null) => ({ choices: [{ delta, finish_reason }] });
  expect(
    eventOrder([
      stream(chunk({ role: "assistant", content: "" }), chunk({ content: "a" }), chunk({}, "stop"), "[DONE]"),
    ]),
  ).toBe("chunk (), chunk (content), chunk (end), [DONE]");
});

import { expect, test } from "vitest";
import { findDates } from "./find-dates.ts";

const termsIn = (text: string) => findDates(text).map(({ terms }) => terms);

test.each([
  "2025-03-14",
  "2025/3/14",
  "14.03.2025",
  "14. 3. 2025",
  "14 March 2025",
  "the 14th of March 2025",
  "March 14, 2025",
  "Mar 14th, 2025",
  "14. März 2025",
  "2025年3月14日",
])("%s is a day", (text) => {
  expect(termsIn(`Decided on ${text}, in Kiel.`)).toEqual([["§20250314", "§0314", "§202503", "§03"]]);
});

test.each(["March 14", "14 Mar", "14.3.", "14. März", "3月14日"])("%s is a day of any year", (text) => {
  expect(termsIn(`on ${text} we`)).toEqual([["§0314", "§03"]]);
});

test.each(["March 2025", "2025-03", "März 2025", "2025年3月"])("%s is a month", (text) => {
  expect(termsIn(`in ${text} we`)).toEqual([["§202503", "§03"]]);
});

test("a month by its name alone", () => {
  expect(termsIn("what did we decide in March?")).toEqual([["§03"]]);
});

test.each([
  "it may fail",
  "mar the surface",
  "version 1.2.2025x",
  "port 2025",
  "10.20.30.40",
  "migrate-2025-03-14.sql",
])("%s is none", (text) => {
  expect(termsIn(text)).toEqual([]);
});

test("says where each stands, in order", () => {
  const text = "from 2025-10-25 to November 13";
  const found = findDates(text).map(({ from, to }) => text.slice(from, to));
  expect(found).toEqual(["2025-10-25", "November 13"]);
});

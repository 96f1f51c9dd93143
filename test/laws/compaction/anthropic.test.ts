import { holdLaws } from "./hold-laws.ts";

holdLaws(["Anthropic, thinking bound", "Anthropic, thinking free"]);

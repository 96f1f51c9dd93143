import { holdLaws } from "./hold-laws.ts";

holdLaws(["OpenAI Responses", "OpenAI Chat", "llama.cpp"]);

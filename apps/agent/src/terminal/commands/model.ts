import { listSessions } from "../../workspace/stored-sessions.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const model: ScreenCommand = {
  name: "model",
  takes: "[NAME]",
  about: "switch the model; its prompt cache starts empty",
  async open({ words, agent: { model: current, setModel }, project, ask, say }) {
    const wanted = words === "" ? await choose() : words;
    if (wanted === undefined || wanted === "" || wanted === current()) return say(`The model is ${current()}.`);
    await setModel(wanted);
    say(`Model switched to ${wanted}. Its prompt cache is empty, so the next request pays the full price.`);

    async function choose(): Promise<string | undefined> {
      const used = (await listSessions(project.store)).flatMap(({ usedBefore }) => usedBefore?.model ?? []);
      const names = [...new Set([current(), ...used])];
      const answer = await ask({
        title: "Choose a model",
        body: [],
        words: "Another",
        options: names.map((name) => ({ value: name, label: name, ...(name === current() ? { about: "now" } : {}) })),
      });
      return answer.kind === "chosen" ? answer.values[0] : answer.kind === "words" ? answer.text : undefined;
    }
  },
};

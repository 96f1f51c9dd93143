import { type Instance, render, Text, useInput, usePaste, useStdout } from "ink";
import type { Clock } from "palimpsest";
import { createElement as h, type ReactNode, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import type { Line } from "../text/line.ts";
import { paint, type Theme } from "../text/paint.ts";
import { lineWidth } from "../text/width.ts";
import { depthOf } from "./dialogs/dialog-state.ts";
import { SETTLE_MS } from "./dialogs/view-dialog.ts";
import { toKeys } from "./prompt/editor.ts";
import type { Screen } from "./screen.ts";
import type { ScreenState } from "./state.ts";
import { viewTranscript } from "./transcript/view-transcript.ts";
import { viewItem } from "./views/view-item.ts";
import { viewLive } from "./views/view-live.ts";

/** A timer may be early by a little. */
const WAKE_MARGIN_MS = 5;

interface DrawOptions {
  readonly screen: Screen;
  readonly theme: Theme;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly clock: Clock;
}

/** The drawing on the terminal. */
export interface Drawing {
  /** `transcript` uses the terminal's alternate screen, so the conversation stays where it was. */
  show(what: "conversation" | "transcript"): Promise<void>;
  /** Leaves the terminal to another program while it runs. */
  suspend<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Draws everything again, after another program has written to the terminal. */
  redraw(): void;
  close(): Promise<void>;
}

export function draw(options: DrawOptions): Drawing {
  const { screen, stdin, stdout } = options;
  const { style } = screen.state();
  let printed = 0;
  let lastFrame: readonly Line[] = [];

  const start = (what: "conversation" | "transcript"): Instance => {
    const isWhole = what === "transcript";
    // Before anything is drawn: a person who sees the prompt starts to type, and raw mode must be on by then.
    stdin.setRawMode(true);
    const node = isWhole ? h(Transcript, options) : h(Conversation, { ...options, from: printed, onDrawn });
    return render(node, {
      stdin,
      stdout,
      exitOnCtrlC: false,
      patchConsole: true,
      interactive: true,
      alternateScreen: isWhole,
      // The screen limits its own frame rate; a limit here would delay the echo of a key.
      maxFps: 240,
      incrementalRendering: style === "full",
      isScreenReaderEnabled: style === "plain",
    });
  };
  function onDrawn(items: number, lines: readonly Line[]): void {
    printed = items;
    lastFrame = lines;
  }
  async function stop(instance: Instance): Promise<void> {
    screen.flush();
    await instance.waitUntilRenderFlush();
    instance.clear();
    instance.unmount();
    await instance.waitUntilExit();
    instance.cleanup();
  }

  // Runs before ink's own listener: the terminal has re-wrapped the frame, and the number of its rows is known here.
  const onResize = (): void => {
    const { columns, rows } = stdout;
    if (columns < screen.state().columns && shown === "conversation") {
      const more = lastFrame.reduce((sum, line) => sum + Math.max(0, Math.ceil(lineWidth(line) / columns) - 1), 0);
      drawn.clear();
      if (more > 0) stdout.write(`\u001b[${more}A\u001b[J`);
    }
    screen.emit({ kind: "resized", columns, rows });
  };
  stdout.on("resize", onResize);
  let shown: "conversation" | "transcript" = "conversation";
  let drawn = start(shown);

  return {
    async show(what) {
      if (what === shown) return;
      await stop(drawn);
      shown = what;
      drawn = start(what);
    },
    async suspend(work) {
      await stop(drawn);
      stdin.setRawMode(false);
      stdin.pause();
      try {
        return await work();
      } finally {
        drawn = start(shown);
      }
    },
    redraw() {
      stdout.write("\u001b[2J\u001b[H");
      drawn.clear();
      screen.flush();
    },
    async close() {
      stdout.off("resize", onResize);
      await stop(drawn);
      stdin.setRawMode(false);
    },
  };
}

interface ConversationProps extends DrawOptions {
  /** The number of items already in the scrollback. */
  readonly from: number;
  readonly onDrawn: (printed: number, lines: readonly Line[]) => void;
}

/**
 * Writes finished items above the live part, once; only the live part is drawn again. Ink's own `Static` is not used: it
 * splits and joins every character, which took half of the measured time while a long answer streamed in.
 */
function Conversation({ screen, theme, clock, from, onDrawn }: ConversationProps): ReactNode {
  const state = useScreen(screen, clock);
  useSettling(state, screen, clock);
  const { write } = useStdout();
  const written = useRef(from);
  const lines = viewLive(state);
  useLayoutEffect(() => {
    const fresh = state.items.slice(written.current);
    written.current = state.items.length;
    if (fresh.length > 0)
      write(
        `${painted(
          fresh.flatMap((item) => viewItem(item, state)),
          theme,
        )}\n`,
      );
    onDrawn(written.current, lines);
  });
  return h(Text, undefined, painted(lines, theme));
}

function Transcript({ screen, theme, clock }: DrawOptions): ReactNode {
  const state = useScreen(screen, clock);
  const { transcript } = state;
  return h(Text, undefined, transcript === undefined ? "" : painted(viewTranscript(transcript, state), theme));
}

/** Draws the state, and passes keys and pastes to the screen. */
function useScreen(screen: Screen, clock: Clock): ScreenState {
  useInput((input, key) => {
    const atMs = clock.now();
    for (const one of toKeys(input, key)) screen.emit({ kind: "key", key: one, atMs });
  });
  usePaste((text) => screen.emit({ kind: "pasted", text, atMs: clock.now() }));
  return useSyncExternalStore(screen.subscribe, screen.state);
}

/** Tells the screen when a question was drawn, and wakes it when keys begin to answer the question. */
function useSettling({ dialogs: [dialog], standing }: ScreenState, screen: Screen, clock: Clock): void {
  const id = dialog?.id;
  const depth = dialog && depthOf(dialog);
  useLayoutEffect(() => {
    if (id !== undefined && depth !== undefined) screen.emit({ kind: "dialog-drawn", id, depth, atMs: clock.now() });
  }, [id, depth, screen, clock]);
  const sinceMs = standing?.sinceMs;
  useEffect(() => {
    if (id === undefined || sinceMs === undefined) return;
    const waits = setTimeout(() => screen.emit({ kind: "tick", nowMs: clock.now() }), SETTLE_MS + WAKE_MARGIN_MS);
    return () => clearTimeout(waits);
  }, [id, sinceMs, screen, clock]);
}

function painted(lines: readonly Line[], theme: Theme): string {
  // An empty string would take no row.
  return lines.map((line) => paint(line, theme) || " ").join("\n");
}

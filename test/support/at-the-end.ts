/** What a process of tests does last. `bun test` emits no "exit": test/preload.ts calls `end` there. */
const acts: (() => void)[] = [];

/** In the order of the calls. */
export function atTheEnd(act: () => void): void {
  acts.push(act);
}

export function end(): void {
  for (const act of acts.splice(0)) act();
}

process.once("exit", end);

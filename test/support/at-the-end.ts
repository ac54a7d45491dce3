/**
 * Runs functions at the end of the test process. `bun test` emits no "exit": test/preload.ts calls
 * `end`.
 */
const acts: (() => void)[] = [];

/** Functions run in the order of registration. */
export function atTheEnd(act: () => void): void {
  acts.push(act);
}

export function end(): void {
  for (const act of acts.splice(0)) act();
}

process.once("exit", end);

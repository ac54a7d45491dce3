/**
 * The caller of a rehearsal: follows a script, or lets a language model play a persona, over any line (text or
 * telephone). It does not judge; it records when each step began.
 */
import type { RehearsedStep } from "./rehearsed-call.ts";
import type { Persona, Step } from "./scenario.ts";

/** One call, seen by the caller. Every wait resolves when the call ends. */
export interface CallerLine {
  readonly ended: boolean;
  /** Milliseconds since the answer. */
  readonly nowMs: number;
  /** True while the agent is audible. */
  readonly agentSpeaks: boolean;
  /** True if the agent has finished speaking and waits. */
  readonly agentWaits: boolean;
  /** The agent's words so far, turn by turn. */
  readonly agentTurns: readonly string[];
  /** Resolves when `holds` returns true, after `limitMs`, or when the call ends. */
  until(holds: () => boolean, limitMs: number): Promise<void>;
  /** Resolves after the last word. As a "listener" ("mhm"), the caller wants neither the turn nor an answer. */
  say(text: string, as?: "listener"): Promise<void>;
  press(keys: string): Promise<void>;
  hold(ms: number): Promise<void>;
  hangUp(): void;
}

/** Gets the caller's next words from a language model; null: it hangs up. */
export type PersonaPlayer = (persona: Persona, heard: readonly string[]) => Promise<string | null>;

/** Reaction time of a person. */
const REACTION_MS = 400;
const INTERRUPTS_AFTER_MS = 800;
const ANSWER_MS_MAX = 60_000;
/** Maximum time for the agent's last words after the script's last step. */
const ENDING_MS_MAX = 30_000;

export interface PlayedCaller {
  readonly steps: readonly RehearsedStep[];
}

export async function playScript(line: CallerLine, script: readonly Step[]): Promise<PlayedCaller> {
  const steps: RehearsedStep[] = [];
  for (const [step, deed] of script.entries()) {
    await untilTurn(line, deed);
    if (line.ended) break;
    steps.push({ step, atMs: line.nowMs });
    await carryOut(line, deed);
  }
  await line.until(() => line.agentWaits, ANSWER_MS_MAX);
  if (!line.ended) await rest(line, REACTION_MS);
  line.hangUp();
  return { steps };
}

async function untilTurn(line: CallerLine, { interrupt, mumble, after_ms }: Step): Promise<void> {
  if (interrupt === undefined && mumble === undefined) {
    await line.until(() => line.agentWaits, ANSWER_MS_MAX);
    await rest(line, after_ms ?? REACTION_MS);
    return;
  }
  await line.until(() => line.agentSpeaks, ANSWER_MS_MAX);
  const from = line.nowMs;
  const delayMs = after_ms ?? INTERRUPTS_AFTER_MS;
  await line.until(() => line.nowMs - from >= delayMs || !line.agentSpeaks, ANSWER_MS_MAX);
}

const rest = (line: CallerLine, ms: number) => line.until(() => false, ms);

async function carryOut(line: CallerLine, deed: Step): Promise<void> {
  const words = deed.say ?? deed.interrupt;
  if (words !== undefined) await line.say(words);
  else if (deed.mumble !== undefined) await line.say(deed.mumble, "listener");
  else if (deed.press !== undefined) await line.press(deed.press);
  else if (deed.silent_ms !== undefined) await rest(line, deed.silent_ms);
  else if (deed.hold_ms !== undefined) await line.hold(deed.hold_ms);
  else line.hangUp();
}

export async function playPersona(
  line: CallerLine,
  persona: Persona,
  player: PersonaPlayer,
): Promise<PlayedCaller> {
  const steps: RehearsedStep[] = [];
  const said: string[] = [];
  let heard = 0;
  for (let turn = 0; turn < persona.turns_max && !line.ended; turn++) {
    await line.until(() => line.agentWaits, ANSWER_MS_MAX);
    if (line.ended) break;
    const news = line.agentTurns.slice(heard).map((text) => `Agent: ${text}`);
    heard = line.agentTurns.length;
    said.push(...news);
    const words = await player(persona, said);
    if (words === null) break;
    said.push(`You: ${words}`);
    steps.push({ step: turn, atMs: line.nowMs });
    await line.say(words);
  }
  await line.until(() => line.agentWaits, ENDING_MS_MAX);
  line.hangUp();
  return { steps };
}

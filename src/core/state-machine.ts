/**
 * Guarded state machines as a table: one writer (`apply`), states as discriminated unions.
 *
 * The table maps the state's name and the event's type to a function that computes the next state.
 * A pair that is not in the table is illegal. In tests it throws. In production it is passed to
 * `onIllegal` (to count and log), and the state does not change.
 */
interface Named {
  readonly name: string;
}
interface Typed {
  readonly type: string;
}

export type Table<State extends Named, Event extends Typed> = {
  readonly [S in State["name"]]: {
    readonly [E in Event["type"]]?: (
      state: Extract<State, { name: S }>,
      event: Extract<Event, { type: E }>,
    ) => State;
  };
};

export class IllegalTransition extends Error {
  constructor(machine: string, state: string, event: string) {
    super(`${machine}: event ${event} is illegal in state ${state}`);
    this.name = "IllegalTransition";
  }
}

export interface MachineOptions<State, Event> {
  readonly onIllegal?: (state: State, event: Event) => void;
  /** For side effects: runs after the new state is set. */
  readonly onTransition?: (from: State, to: State, event: Event) => void;
}

export class StateMachine<State extends Named, Event extends Typed> {
  #state: State;

  constructor(
    readonly name: string,
    private readonly table: Table<State, Event>,
    initial: State,
    private readonly options: MachineOptions<State, Event>,
  ) {
    this.#state = initial;
  }

  get state(): State {
    return this.#state;
  }

  can(type: Event["type"]): boolean {
    return this.#step(type) !== undefined;
  }

  /** Applies the event. Returns false if it was illegal. */
  apply(event: Event): boolean {
    const step = this.#step(event.type as Event["type"]);
    if (!step) {
      if (!this.options.onIllegal)
        throw new IllegalTransition(this.name, this.#state.name, event.type);
      this.options.onIllegal(this.#state, event);
      return false;
    }
    const from = this.#state;
    this.#state = step(from, event);
    this.options.onTransition?.(from, this.#state, event);
    return true;
  }

  #step(type: Event["type"]): ((state: State, event: Event) => State) | undefined {
    const row = this.table[this.#state.name as State["name"]];
    return row[type] as ((state: State, event: Event) => State) | undefined;
  }
}

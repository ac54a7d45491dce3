/**
 * Typed events. A listener that throws is reported and does not stop the other listeners or the
 * emitter.
 */
export type Unsubscribe = () => void;

export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();
  readonly #onThrow: (error: unknown) => void;

  constructor(onThrow: (error: unknown) => void = (error) => console.error(error)) {
    this.#onThrow = onThrow;
  }

  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Unsubscribe {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set);
    set.add(listener as (event: never) => void);
    return () => set.delete(listener as (event: never) => void);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as (event: Events[Name]) => void)(event);
      } catch (error) {
        this.#onThrow(error);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

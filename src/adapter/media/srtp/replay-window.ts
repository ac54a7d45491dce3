/** The packet indices seen recently (RFC 3711 3.3.2), for the last `WINDOW` of them. */
const WINDOW = 512;
const NEVER = -1;

export class ReplayWindow {
  readonly #seen = new Float64Array(WINDOW).fill(NEVER);
  #highest = NEVER;

  /** False for an index that was seen, and for one that is too old. */
  isFresh(index: number): boolean {
    if (index <= this.#highest - WINDOW) return false;
    return this.#seen[index % WINDOW] !== index;
  }

  /** Call it only for authenticated packets. */
  add(index: number): void {
    this.#seen[index % WINDOW] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}

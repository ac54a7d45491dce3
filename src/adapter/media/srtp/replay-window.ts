/** Which packet indices have been seen (RFC 3711 3.3.2), for the last `WINDOW` of them. */
const WINDOW = 512;
const NEVER = -1;

export class ReplayWindow {
  readonly #seen = new Float64Array(WINDOW).fill(NEVER);
  #highest = NEVER;

  /** False for one seen already, and for one too old to know. */
  isFresh(index: number): boolean {
    if (index <= this.#highest - WINDOW) return false;
    return this.#seen[index % WINDOW] !== index;
  }

  /** Only for what was authenticated. */
  add(index: number): void {
    this.#seen[index % WINDOW] = index;
    this.#highest = Math.max(this.#highest, index);
  }
}

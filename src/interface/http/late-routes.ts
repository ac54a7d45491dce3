/**
 * Routes below some mounts that a start does not load: their schemas are half of what it would evaluate. They
 * are loaded once the server listens, or with the first request that may be for one of them.
 */
export class LateRoutes {
  #loading: Promise<void> | null = null;
  #isLoaded = false;

  /** `mount` loads the routes and mounts them; while it fails, each request tries it again. */
  constructor(
    private readonly mounts: readonly string[],
    private readonly mount: () => Promise<void>,
  ) {}

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  covers(path: string): boolean {
    return this.mounts.some(
      (mount) => path.startsWith(mount) && (path[mount.length] ?? "/") === "/",
    );
  }

  async load(): Promise<void> {
    this.#loading ??= this.mount();
    try {
      await this.#loading;
      this.#isLoaded = true;
    } catch (error) {
      this.#loading = null;
      throw error;
    }
  }
}

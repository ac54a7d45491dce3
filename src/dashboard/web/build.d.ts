/** What scripts/build-dashboard.ts puts in, and what the page's two scripts share. */

/** The address of the audio worklet's own bundle. */
declare const MICROPHONE_WORKLET_URL: string;

/** The addresses of the code that a page loads first. */
declare const FIRST_LOAD: {
  readonly pages: readonly {
    /** Of the page's path. */
    readonly pattern: string;
    readonly code: readonly string[];
    /** What the page asks the server first; null: nothing that is known beforehand. */
    readonly data: string | null;
  }[];
  readonly texts: Readonly<Record<"en" | "lt" | "lv" | "ru", readonly string[]>>;
};

interface Window {
  /** By address: asked for by early.ts, and not taken yet. */
  earlyAnswers?: Map<string, Promise<Response>>;
}

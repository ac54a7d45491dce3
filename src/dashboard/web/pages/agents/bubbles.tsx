/** A conversation as bubbles; the newest stays in view. */
import { useEffect, useRef } from "react";
import { useText } from "../../i18n/text.tsx";

interface BubbleShown {
  readonly key: string;
  readonly side: "agent" | "customer";
  readonly text: string;
  readonly note?: string | null;
}

export function Bubbles({ label, bubbles }: { label: string; bubbles: readonly BubbleShown[] }) {
  const { t } = useText();
  const box = useRef<HTMLElement>(null);
  const last = bubbles.at(-1)?.text;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new words scroll into view
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last, bubbles.length]);
  return (
    <section
      ref={box}
      className="bubbles web-call-box"
      aria-label={label}
      aria-live="polite"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
    >
      {bubbles.map((bubble) => (
        <div key={bubble.key} className={`bubble ${bubble.side}`}>
          <p className="who">
            {t(bubble.side === "agent" ? "calls.agent" : "profile.you")}
            {bubble.note && ` · ${bubble.note}`}
          </p>
          {bubble.text}
        </div>
      ))}
    </section>
  );
}

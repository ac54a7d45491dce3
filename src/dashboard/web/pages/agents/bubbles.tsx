/** A conversation as chat bubbles. Scrolls to the newest one. */
import { useEffect, useRef } from "react";
import { useText } from "../../i18n/text.tsx";

interface BubbleShown {
  readonly key: string;
  readonly side: "agent" | "customer";
  readonly text: string;
  readonly note?: string | null;
}

export function Bubbles(props: {
  label: string;
  bubbles: readonly BubbleShown[];
  /** Name of the agent's partner. Default: the reader. */
  other?: string;
}) {
  const { label, bubbles } = props;
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
            {bubble.side === "agent" ? t("calls.agent") : (props.other ?? t("profile.you"))}
            {bubble.note && ` · ${bubble.note}`}
          </p>
          {bubble.text}
        </div>
      ))}
    </section>
  );
}

/** Tabs inside a page. The URL selects the tab (`?tab=`); default: the first one. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useId } from "react";

interface Tab {
  readonly name: string;
  readonly label: string;
  readonly content: () => ReactNode;
}

/** The arrow keys wrap around and open the tab. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")];
  const at = tabs.findIndex((tab) => tab.matches("[aria-selected=true]"));
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const tab = tabs.at(next % tabs.length);
  tab?.focus();
  tab?.click();
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const id = useId();
  const navigate = useNavigate();
  const search: { tab?: unknown } = useSearch({ strict: false });
  const first = tabs[0]?.name ?? "";
  const value = tabs.find(({ name }) => name === search.tab)?.name ?? first;

  const show = (tab: string) =>
    void navigate({ to: ".", search: tab === first ? {} : { tab }, state: true, replace: true });
  const shown = tabs.find(({ name }) => name === value);
  return (
    <div>
      <div role="tablist" className="tabs" aria-label={label} onKeyDown={walk}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={tab.name === value}
            aria-controls={tab.name === value ? `${id}-panel` : undefined}
            tabIndex={tab.name === value ? 0 : -1}
            data-tab={tab.name}
            className="tab"
            onClick={() => show(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        key={value}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${value}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard comes from the tab to what it shows
        tabIndex={0}
        className="tab-panel"
      >
        {shown?.content()}
      </div>
    </div>
  );
}

/** Tabs inside a page. The address says which is shown (`?tab=`); without it the first one is. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";

interface Tab {
  readonly name: string;
  readonly label: string;
  readonly content: () => ReactNode;
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const list = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const search: { tab?: unknown } = useSearch({ strict: false });
  const first = tabs[0]?.name ?? "";
  const value = tabs.find(({ name }) => name === search.tab)?.name ?? first;

  // A phone may not show all tabs: scroll the selected one into view.
  useEffect(() => {
    const tab = list.current?.querySelector(`[data-tab="${value}"]`);
    if (!list.current || !(tab instanceof HTMLElement)) return;
    const middle = tab.offsetLeft - list.current.offsetLeft + tab.offsetWidth / 2;
    list.current.scrollLeft = middle - list.current.clientWidth / 2;
  }, [value]);

  return (
    <Radix.Root
      value={value}
      onValueChange={(tab) =>
        void navigate({ to: ".", search: tab === first ? {} : { tab }, state: true, replace: true })
      }
    >
      <Radix.List ref={list} className="tabs" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.name} value={tab.name} data-tab={tab.name} className="tab">
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.name} value={tab.name} className="tab-panel">
          {tab.name === value && tab.content()}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

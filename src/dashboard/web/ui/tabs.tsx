/** Tabs inside a page. */
import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";

interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly content: () => ReactNode;
}

export function Tabs<Name extends string>(props: {
  label: string;
  tabs: readonly Tab<Name>[];
  value: Name;
  onValue: (name: Name) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const { value } = props;

  // A phone may not show all tabs: scroll the selected one into view.
  useEffect(() => {
    const tab = list.current?.querySelector(`[data-tab="${value}"]`);
    if (!list.current || !(tab instanceof HTMLElement)) return;
    const middle = tab.offsetLeft - list.current.offsetLeft + tab.offsetWidth / 2;
    list.current.scrollLeft = middle - list.current.clientWidth / 2;
  }, [value]);

  return (
    <Radix.Root
      value={props.value}
      onValueChange={(value) => {
        const tab = props.tabs.find(({ name }) => name === value);
        if (tab) props.onValue(tab.name);
      }}
    >
      <Radix.List ref={list} className="tabs" aria-label={props.label}>
        {props.tabs.map((tab) => (
          <Radix.Trigger key={tab.name} value={tab.name} data-tab={tab.name} className="tab">
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {props.tabs.map((tab) => (
        <Radix.Content key={tab.name} value={tab.name} className="tab-panel">
          {tab.name === props.value && tab.content()}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

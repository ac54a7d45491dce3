/** Tabs inside a page. */
import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface Tab<Name extends string> {
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
  return (
    <Radix.Root
      value={props.value}
      onValueChange={(value) => {
        const tab = props.tabs.find(({ name }) => name === value);
        if (tab) props.onValue(tab.name);
      }}
    >
      <Radix.List className="tabs" aria-label={props.label}>
        {props.tabs.map((tab) => (
          <Radix.Trigger key={tab.name} value={tab.name} className="tab">
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

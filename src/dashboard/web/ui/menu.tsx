/**
 * A menu behind a button. It is rendered beside its button, not at the end of the page: it stays within
 * its landmark, and within the focus scope of a drawer or dialog.
 */
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuEntry {
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
}

/** `null` draws a line, a text is a heading. */
export function Menu(props: {
  trigger: ReactNode;
  entries: readonly (MenuEntry | string | null)[];
  align?: "start" | "end";
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{props.trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Content className="menu" align={props.align ?? "end"} sideOffset={4}>
        {props.entries.map((entry, at) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name
          if (entry === null) return <DropdownMenu.Separator key={at} className="menu-line" />;
          if (typeof entry === "string")
            return (
              <DropdownMenu.Label key={entry} className="menu-label">
                {entry}
              </DropdownMenu.Label>
            );
          return (
            <DropdownMenu.Item
              key={entry.label}
              className={entry.danger ? "menu-item danger" : "menu-item"}
              disabled={entry.disabled}
              onSelect={entry.onChoose}
            >
              {entry.icon && <Icon name={entry.icon} />}
              <span className="grow">{entry.label}</span>
              {entry.checked && <Icon name="check" size={14} />}
            </DropdownMenu.Item>
          );
        })}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

/**
 * A menu behind a button: the browser's popover, which closes on a press elsewhere or on Escape.
 */
import {
  type ComponentProps,
  cloneElement,
  type KeyboardEvent,
  type ReactElement,
  useId,
  useRef,
  useState,
} from "react";
import { Icon, type IconName } from "./icon.tsx";

const GAP = 4;

export interface MenuEntry {
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  /** For one of several exclusive choices: whether it is selected. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly trigger: ReactElement<ComponentProps<"button">>;
  /** `null` draws a line, a string is a heading. */
  readonly entries: readonly (MenuEntry | string | null)[];
  readonly align?: "start" | "end";
}

/** Places the menu below or above its button, on the side with more space. */
function place(menu: HTMLElement, button: DOMRect, align: "start" | "end"): void {
  const isHigh = button.top < innerHeight / 2;
  const { style } = menu;
  style.top = isHigh ? `${button.bottom + GAP}px` : "auto";
  style.bottom = isHigh ? "auto" : `${innerHeight - button.top + GAP}px`;
  style.left = align === "start" ? `${button.left}px` : "auto";
  style.right = align === "end" ? `${document.body.clientWidth - button.right}px` : "auto";
}

const itemsOf = (menu: Element) => [
  ...menu.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)"),
];

/** The arrow keys wrap around and skip disabled entries; the Tab key continues from the button. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === "Tab") event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
  const items = itemsOf(event.currentTarget);
  const at = items.findIndex((item) => item.matches(":focus"));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}

export function Menu({ trigger, entries, align = "end" }: MenuProps) {
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const button = { "aria-haspopup": "menu" as const, "aria-expanded": open, id: `${id}-button` };
  return (
    <>
      {cloneElement(trigger, { ...button, popoverTarget: id })}
      <div
        ref={popover}
        id={id}
        popover="auto"
        className="menu"
        onBeforeToggle={({ currentTarget, newState }) => {
          const from = document.getElementById(button.id)?.getBoundingClientRect();
          if (newState === "open" && from) place(currentTarget, from, align);
          if (newState === "open") setOpen(true);
        }}
        onToggle={({ currentTarget, newState }) => {
          if (newState === "open") itemsOf(currentTarget)[0]?.focus();
          // Not earlier: the browser restores the focus only while the focused entry still exists.
          else setOpen(false);
        }}
      >
        {open && (
          <div role="menu" tabIndex={-1} aria-labelledby={button.id} onKeyDown={moveFocus}>
            {entries.map((entry, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name
              <Entry key={at} entry={entry} onChosen={() => popover.current?.hidePopover()} />
            ))}
          </div>
        )}
      </div>
    </>
  );
}

function Entry({ entry, onChosen }: { entry: MenuEntry | string | null; onChosen: () => void }) {
  if (entry === null) return <hr className="menu-line" />;
  if (typeof entry === "string") return <div className="menu-label">{entry}</div>;
  return (
    <button
      type="button"
      {...(entry.checked === undefined
        ? { role: "menuitem" }
        : { role: "menuitemradio", "aria-checked": entry.checked })}
      tabIndex={-1}
      className={entry.danger ? "menu-item danger" : "menu-item"}
      disabled={entry.disabled}
      onClick={() => {
        onChosen();
        entry.onChoose();
      }}
    >
      {entry.icon && <Icon name={entry.icon} />}
      <span className="grow">{entry.label}</span>
      {entry.checked && <Icon name="check" size={14} />}
    </button>
  );
}

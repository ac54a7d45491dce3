/** Buttons, and links that look like them. */
import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface Look {
  readonly look?: "primary" | "secondary" | "ghost" | "danger";
  readonly small?: boolean;
  readonly wide?: boolean;
  readonly icon?: IconName;
}

export function buttonClass({ look = "secondary", small, wide }: Look, square = false): string {
  return ["button", look, small && "small", wide && "wide", square && "square"]
    .filter(Boolean)
    .join(" ");
}

type ButtonProps = Look &
  Omit<ComponentProps<"button">, "className"> & { readonly busy?: boolean; children?: ReactNode };

/** While `busy` it can be focused but not pressed again. */
export function Button({ look, small, wide, icon, busy, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass({ look, small, wide })}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spinner" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with an icon only: `label` is read aloud and shown when pointed at. */
export function IconButton({
  label,
  icon,
  look = "ghost",
  small = true,
  ...rest
}: Look & { label: string; icon: IconName } & Omit<ComponentProps<"button">, "className">) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass({ look, small }, true)}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </button>
  );
}

export function ButtonAnchor({
  look,
  small,
  wide,
  icon,
  children,
  ...rest
}: Look & Omit<ComponentProps<"a">, "className">) {
  return (
    <a {...rest} className={buttonClass({ look, small, wide })}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

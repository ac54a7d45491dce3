/** Buttons, and links that look like them. */
import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonStyle {
  readonly variant?: "primary" | "secondary" | "ghost" | "danger";
  readonly small?: boolean;
  readonly wide?: boolean;
  readonly icon?: IconName;
}

function buttonClass({ variant = "secondary", small, wide }: ButtonStyle, square = false): string {
  return ["button", variant, small && "small", wide && "wide", square && "square"]
    .filter(Boolean)
    .join(" ");
}

type ButtonProps = ButtonStyle &
  Omit<ComponentProps<"button">, "className"> & { readonly busy?: boolean; children?: ReactNode };

/** While `busy` or `disabled` the button keeps its focus but ignores presses. */
export function Button({
  variant,
  small,
  wide,
  icon,
  busy,
  disabled,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass({ variant, small, wide })}
      aria-disabled={busy || disabled || undefined}
      onClick={busy || disabled ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spinner" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with an icon only. `label` is its accessible name and its tooltip. */
export function IconButton({
  label,
  icon,
  variant = "ghost",
  small = true,
  ...rest
}: ButtonStyle & { label: string; icon: IconName } & Omit<ComponentProps<"button">, "className">) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass({ variant, small }, true)}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </button>
  );
}

export function ButtonAnchor({
  variant,
  small,
  wide,
  icon,
  children,
  ...rest
}: ButtonStyle & Omit<ComponentProps<"a">, "className">) {
  return (
    <a {...rest} className={buttonClass({ variant, small, wide })}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

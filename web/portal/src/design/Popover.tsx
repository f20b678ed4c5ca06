// A panel that opens from a button: it closes on Escape, on a click elsewhere and when the focus leaves it.

import { type CSSProperties, type ReactNode, useEffect, useId, useRef, useState } from 'react';

import { Icon, type IconName } from './Icon';

interface PopoverProps {
  label: string;
  icon?: IconName;
  /** The content of the button; the label by default. */
  face?: ReactNode;
  className?: string;
  align?: 'start' | 'end';
  panelClass?: string;
  children: (close: () => void) => ReactNode;
}

export function Popover({
  label,
  icon,
  face,
  className = 'button',
  align = 'end',
  panelClass = '',
  children,
}: PopoverProps) {
  const [open, setOpen] = useState(false);
  const [shift, setShift] = useState<CSSProperties>({});
  const holder = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => {
      if (!holder.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    const box = panel.current?.getBoundingClientRect();
    if (box) {
      // A panel that would leave the window is moved back into it.
      const over =
        box.right > window.innerWidth - 8 ? window.innerWidth - 8 - box.right : box.left < 8 ? 8 - box.left : 0;
      setShift(over ? { transform: `translateX(${over}px)` } : {});
    }
    panel.current?.querySelector<HTMLElement>('button, a, input, select, textarea, [tabindex="0"]')?.focus();
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
      setShift({});
    };
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      className="popover"
      ref={holder}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && open) {
          event.stopPropagation();
          close();
        }
        if (open && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) step(event, panel.current);
      }}
    >
      <button
        type="button"
        ref={button}
        className={className}
        aria-expanded={open}
        aria-controls={id}
        aria-label={face ? label : undefined}
        title={face ? label : undefined}
        onClick={() => setOpen(!open)}
      >
        {icon && <Icon name={icon} />}
        {face ?? label}
      </button>
      {open && (
        <div
          id={id}
          ref={panel}
          className={`menu-panel ${align} ${panelClass}`}
          style={shift}
          role="group"
          aria-label={label}
        >
          <PopoverContent close={close}>{children}</PopoverContent>
        </div>
      )}
    </div>
  );
}

/** Renders the content, in a component of its own so that `close` may use the button's ref. */
function PopoverContent({ close, children }: { close: () => void; children: PopoverProps['children'] }) {
  return children(close);
}

/** Moves the focus among the items of a menu; input fields handle arrow keys themselves. */
function step(event: React.KeyboardEvent, panel: HTMLElement | null) {
  const items = [...(panel?.querySelectorAll<HTMLElement>('.menu-item:not(:disabled)') ?? [])];
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (items.length === 0 || at < 0) return;
  event.preventDefault();
  items[(at + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length]?.focus();
}

interface MenuItemProps {
  icon?: IconName;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export function MenuItem({ icon, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <button type="button" className="menu-item" disabled={disabled} onClick={onSelect}>
      {icon && <Icon name={icon} />}
      <span className="grow">{children}</span>
    </button>
  );
}

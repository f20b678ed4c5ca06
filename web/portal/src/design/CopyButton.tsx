// A button that copies a text and confirms it.

import { useEffect, useState } from 'react';

import { announce } from '../shell/announce';
import { texts } from '../texts';
import { Icon, type IconName } from './Icon';

interface CopyButtonProps {
  text: () => string;
  label?: string;
  icon?: IconName;
  className?: string;
  /** Shows the label to screen readers only. */
  isIconOnly?: boolean;
}

export function CopyButton({
  text,
  label = texts.design.copy,
  icon = 'copy',
  isIconOnly = false,
  className = isIconOnly ? 'button plain compact icon-only' : 'button',
}: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await copyText(text());
    setCopied(true);
    announce(texts.design.copied);
  };
  return (
    <button type="button" className={className} onClick={() => void copy()}>
      <Icon name={copied ? 'check' : icon} size={isIconOnly ? 14 : 16} />
      <span className={isIconOnly ? 'visually-hidden' : 'tool-label'}>{copied ? texts.design.copied : label}</span>
    </button>
  );
}

/** Pages without HTTPS have no clipboard API; the deprecated command still works there. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

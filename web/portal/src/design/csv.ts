// Tables as text.

/** Returns whether a spreadsheet could evaluate a text; the rule is that of downloads. */
function couldBeFormula(text: string): boolean {
  if (!/^[=+\-@\t\r]./s.test(text) || /^-+$/.test(text)) return false;
  return !text.split(/[,;]/).every((part) => part.trim() !== '' && Number.isFinite(Number(part)));
}

/** Writes rows as CSV (RFC 4180). What could be a formula gets a single quote in front: values come from anybody. */
export function toCsvText(rows: string[][]): string {
  const cell = (text: string) => {
    const plain = couldBeFormula(text) ? `'${text}` : text;
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

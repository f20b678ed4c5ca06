// Line icons, inlined so that they need no request. They only accompany text, so screen readers skip them.

const PATHS = {
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14Zm5 12 5 5',
  close: 'M6 6l12 12M18 6 6 18',
  down: 'm6 9 6 6 6-6',
  right: 'm9 6 6 6-6 6',
  left: 'm15 6-6 6 6 6',
  up: 'm6 15 6-6 6 6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  filter: 'M4 6h16M7 12h10M10 18h4',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  chart: 'M5 20V10M11 20V4M17 20v-7M3 20h18',
  columns: 'M4 5h16v14H4zM9.3 5v14M14.6 5v14',
  download: 'M12 4v11m-5-5 5 5 5-5M4 20h16',
  code: 'm8 7-5 5 5 5m8-10 5 5-5 5',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.600-5.700l-1.400 1.300M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.600 5.700L12 17',
  undo: 'M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6',
  redo: 'm15 7 5 5-5 5m5-5H10a6 6 0 0 0-6 6',
  set: 'M9 5.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13ZM15 5.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13Z',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.400 1.400m11.200 11.200L19 19M5 19l1.400-1.400M17.600 6.400 19 5',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500Z',
  globe: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18ZM3 12h18M12 3c5 5.500 5 12.500 0 18M12 3c-5 5.500-5 12.500 0 18',
  key: 'M14.500 4a5.500 5.500 0 1 1-4.200 9L4 19.300V20h4v-2.500h2.500V15l1-1M16 8h.01',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  alert: 'M12 8v5m0 3.500v.01M12 3 2.500 20h19Z',
  info: 'M12 11v5m0-8v.01M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Z',
  trash: 'M5 7h14M10 7V4h4v3m-7 0 1 13h8l1-13',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  upload: 'M12 16V5M7 10l5-5 5 5M4 20h16',
  home: 'm4 11 8-7 8 7v9h-5v-6H9v6H4z',
  record: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7',
  clock: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Zm0 4.500V12l3 2',
  eye: 'M2 12s3.500-6.500 10-6.500S22 12 22 12s-3.500 6.500-10 6.500S2 12 2 12Zm10-2.800a2.800 2.800 0 1 1 0 5.600 2.800 2.800 0 0 1 0-5.600Z',
  book: 'M5 4h14v16H7a2 2 0 0 1-2-2zM5 18a2 2 0 0 1 2-2h12M9 8h6',
  external: 'M13 5h6v6M19 5l-9 9M10 5H5v14h14v-5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      strokeWidth={name === 'more' ? 3 : 1.9}
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

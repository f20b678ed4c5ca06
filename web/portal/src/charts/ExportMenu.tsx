// Saves a chart as a picture, or the numbers behind it.

import { Icon } from '../design/Icon';
import { MenuItem, Popover } from '../design/Popover';
import { saveFile } from '../download/stream';
import { type ChartNumbers, toCsv, toSvg } from './series';

/** How many pixels a PNG has for each unit of the picture. */
const PIXELS = 2;

export function ExportMenu({ numbers }: { numbers: ChartNumbers }) {
  const name = numbers.title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const save = (text: string, type: string, extension: string) =>
    saveFile(new Blob([text], { type }), `${name}.${extension}`);
  return (
    <Popover
      label={`Save ${numbers.title}`}
      face={<Icon name="download" size={14} />}
      className="button plain compact icon-only"
    >
      {(close) => {
        const pick = (act: () => void) => () => {
          close();
          act();
        };
        return (
          <>
            <MenuItem onSelect={pick(() => save(toSvg(numbers), 'image/svg+xml', 'svg'))}>Picture as SVG</MenuItem>
            <MenuItem onSelect={pick(() => void savePng(toSvg(numbers), `${name}.png`))}>Picture as PNG</MenuItem>
            <MenuItem onSelect={pick(() => save(toCsv(numbers), 'text/csv', 'csv'))}>Numbers as CSV</MenuItem>
          </>
        );
      }}
    </Popover>
  );
}

async function savePng(svg: string, name: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * PIXELS;
  canvas.height = image.height * PIXELS;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => {
    if (blob) saveFile(blob, name);
  }, 'image/png');
}

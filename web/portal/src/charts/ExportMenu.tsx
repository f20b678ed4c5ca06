// Saves a chart as a picture, or the numbers behind it.

import { Icon } from '../design/Icon';
import { MenuItem, Popover } from '../design/Popover';
import { saveFile } from '../download/stream';
import { texts } from '../texts';
import { type ChartNumbers, type Drawing, drawingOf, paint, toCsv, toSvg } from './series';

/** How many pixels a PNG has for each unit of the picture. */
const PIXELS = 2;

export function ExportMenu({ numbers }: { numbers: ChartNumbers }) {
  const name = numbers.title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const save = (text: string, type: string, extension: string) =>
    saveFile(new Blob([text], { type }), `${name}.${extension}`);
  return (
    <Popover
      label={texts.charts.save(numbers.title)}
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
            <MenuItem onSelect={pick(() => save(toSvg(drawingOf(numbers)), 'image/svg+xml', 'svg'))}>
              {texts.charts.asSvg}
            </MenuItem>
            <MenuItem onSelect={pick(() => savePng(drawingOf(numbers), `${name}.png`))}>{texts.charts.asPng}</MenuItem>
            <MenuItem onSelect={pick(() => save(toCsv(numbers), 'text/csv', 'csv'))}>{texts.charts.asCsv}</MenuItem>
          </>
        );
      }}
    </Popover>
  );
}

function savePng(drawing: Drawing, name: string): void {
  const canvas = document.createElement('canvas');
  canvas.width = drawing.width * PIXELS;
  canvas.height = drawing.height * PIXELS;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(PIXELS, PIXELS);
  paint(drawing, context);
  canvas.toBlob((blob) => {
    if (blob) saveFile(blob, name);
  }, 'image/png');
}

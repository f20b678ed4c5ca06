// Puts what `vite build` wrote where the server takes it from, compressed, with the licences of what is in it.
//
// With `--check` nothing is written: it is compared with what is there, in the folder PORTAL_ASSETS.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..');
const BUILT = join(ROOT, 'node_modules/.built');
const TARGET = process.env.PORTAL_ASSETS || join(ROOT, '../../crates/server/assets/portal');
const ALLOWED_LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
/** How much JavaScript the first view may need, compressed. */
const FIRST_VIEW_LIMIT = 130_000;

/** Compresses without traces of time and machine, so that the same source gives the same file. */
function compressed(bytes) {
  const packed = gzipSync(bytes, { level: 9 });
  const operatingSystem = 9;
  const unknown = 255;
  packed[operatingSystem] = unknown;
  return packed;
}

/** Returns the licences of the packages that the pages are made of, those that they bring along included. */
function licences() {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const wanted = new Set(Object.keys(dependencies));
  for (const name of wanted) {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
    for (const inner of Object.keys(manifest.dependencies ?? {})) wanted.add(inner);
  }
  const rule = '='.repeat(80);
  const parts = [...wanted].sort().map((name) => {
    const folder = join(ROOT, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!ALLOWED_LICENCES.includes(license)) throw new Error(`${name} ${version}: its licence is '${license}'`);
    const files = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
      .sort();
    const text = files
      .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
      .join('\n\n');
    return `${rule}\n${name} ${version} (${license})\n${rule}\n\n${text || `The manifest says ${license}.`}\n`;
  });
  return `The portal is made of these packages.\n\n${parts.join('\n')}`;
}

/** Returns the files that a page needs at once: its own chunk, and all that it imports. */
function neededBy(manifest, key, found = new Set()) {
  const { file, imports = [] } = manifest[key];
  found.add(file);
  for (const next of imports) neededBy(manifest, next, found);
  return found;
}

const files = readdirSync(BUILT)
  .filter((name) => /\.(js|css|svg)$/.test(name))
  .sort();
const contents = new Map(files.map((name) => [name, readFileSync(join(BUILT, name))]));
contents.set('LICENSES.txt', Buffer.from(licences()));

const html = readFileSync(join(BUILT, 'index.html'), 'utf8');
// Browsers take Brotli from servers with TLS and from their own machine; all others get gzip.
const packed = new Map([...contents].map(([name, bytes]) => [name, brotliCompressSync(bytes)]));

if (process.argv.includes('--check')) check();
else write();

function write() {
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  writeFileSync(join(TARGET, 'index.html'), html);
  for (const [name, bytes] of contents) writeFileSync(join(TARGET, `${name}.gz`), compressed(bytes));
  for (const [name, bytes] of packed) writeFileSync(join(TARGET, `${name}.br`), bytes);
}

/** Compares contents, not compressed bytes: another Node.js may compress differently. */
function check() {
  const kept = (name, read = (bytes) => bytes) =>
    existsSync(join(TARGET, name)) ? read(readFileSync(join(TARGET, name))) : Buffer.alloc(0);
  const differing = [...contents].filter(
    ([name, bytes]) =>
      !bytes.equals(kept(`${name}.gz`, gunzipSync)) || !bytes.equals(kept(`${name}.br`, brotliDecompressSync)),
  );
  const isSame =
    differing.length === 0 &&
    kept('index.html').toString() === html &&
    readdirSync(TARGET).length === 2 * contents.size + 1;
  if (isSame) return;
  const names = differing.map(([name]) => name).join(', ');
  console.error(`crates/server/assets/portal is not what web/portal builds (${names || 'others'}): run make portal`);
  process.exit(1);
}

const manifest = JSON.parse(readFileSync(join(BUILT, 'manifest.json'), 'utf8'));
for (const page of Object.keys(manifest).filter((key) => manifest[key].isDynamicEntry || manifest[key].isEntry)) {
  const scripts = [...neededBy(manifest, page), ...neededBy(manifest, 'index.html')].filter((name) =>
    name.endsWith('.js'),
  );
  const size = [...new Set(scripts)].reduce((sum, name) => sum + packed.get(name).length, 0);
  console.log(`${page}: ${(size / 1000).toFixed(1)} kB of compressed JavaScript`);
  if (size > FIRST_VIEW_LIMIT) throw new Error(`${page} needs more than ${FIRST_VIEW_LIMIT} bytes of JavaScript`);
}

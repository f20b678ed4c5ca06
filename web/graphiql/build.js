// Bundles GraphiQL into the files that the server carries, compressed, together with the licences of what is in them.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));
const TARGET = join(HERE, '../../crates/server/assets/graphiql');
const ALLOWED_LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

// GraphiQL's style sheet has its fonts within it, for every alphabet; the page uses the fonts of the system.
const withoutFonts = {
  name: 'without-fonts',
  setup(build) {
    build.onLoad({ filter: /graphiql[\\/]dist[\\/]style\.css$/ }, ({ path }) => {
      const style = readFileSync(path, 'utf8').replace(/@font-face\s*\{[^}]*\}/g, '');
      if (style.includes('@font-face') || style.includes('data:font')) {
        throw new Error(`${path}: a font is left; the pattern that removes them must be corrected`);
      }
      return { contents: style, loader: 'css' };
    });
  },
};

/** Returns the folders of the packages that are part of the bundle. */
function packagesOf(metafile) {
  const folders = Object.keys(metafile.inputs).flatMap((input) => {
    const match = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input.split(sep).join('/'));
    return match ? [match[0]] : [];
  });
  return [...new Set(folders)].sort();
}

function licenceText(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
  return texts.join('\n\n');
}

/** Returns the licences of packages; those with the same text are listed together. */
function licencesOf(folders) {
  const packagesByText = new Map();
  for (const folder of folders) {
    const { name, version, license, author } = JSON.parse(readFileSync(join(HERE, folder, 'package.json'), 'utf8'));
    if (!ALLOWED_LICENCES.includes(license)) {
      throw new Error(`${name} ${version}: its licence is '${license}', which is not one of ${ALLOWED_LICENCES}`);
    }
    const holder = author?.name ?? author;
    const unwritten = `No licence file; the manifest says ${license}${holder ? `, by ${holder}` : ''}.`;
    const text = licenceText(join(HERE, folder)) || unwritten;
    packagesByText.set(text, [...(packagesByText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const rule = '='.repeat(80);
  const parts = [...packagesByText].map(([text, packages]) => `${rule}\n${packages.join('\n')}\n${rule}\n\n${text}\n`);
  return `The GraphiQL page is made of these packages.\n\n${parts.join('\n')}`;
}

/** Compresses without traces of time and machine, so that the same source gives the same file. */
function compressed(bytes) {
  const packed = gzipSync(bytes, { level: 9 });
  const operatingSystem = 9;
  const unknown = 255;
  packed[operatingSystem] = unknown;
  return packed;
}

const result = await build({
  absWorkingDir: HERE,
  entryPoints: { graphiql: 'src/main.jsx' },
  outdir: TARGET,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  jsx: 'automatic',
  alias: { 'react-style-singleton': './src/no_inline_style.js' },
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  banner: { js: '/* Licences: LICENSES.txt beside this file */', css: '/* Licences: LICENSES.txt beside this file */' },
  plugins: [withoutFonts],
  metafile: true,
  write: false,
});

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
const licences = licencesOf(packagesOf(result.metafile));
writeFileSync(join(TARGET, 'LICENSES.txt'), licences);
copyFileSync(join(HERE, 'src/index.html'), join(TARGET, 'index.html'));
const files = [
  ...result.outputFiles.map(({ path, contents }) => [relative(TARGET, path), contents]),
  ['LICENSES.txt', Buffer.from(licences)],
];
for (const [name, contents] of files) {
  const packed = compressed(contents);
  writeFileSync(join(TARGET, `${name}.gz`), packed);
  console.log(`${name}: ${contents.length} bytes, ${packed.length} compressed`);
}

// Bundles the portal into the folder `dist` beside this file.

import { copyFileSync } from 'node:fs';

import { build } from 'esbuild';

await build({
  entryPoints: { portal: 'src/portal.jsx' },
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'globalThis' },
  loader: { '.eot': 'dataurl', '.png': 'dataurl', '.svg': 'dataurl', '.ttf': 'dataurl', '.woff': 'dataurl', '.woff2': 'dataurl' },
  logLevel: 'error',
});
copyFileSync('src/index.html', 'dist/index.html');

// Builds the portal; `scripts/pack.js` then copies it into the server's sources.

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
// The first segments of the server's paths; a test of the server compares them with its routes.
import serverPaths from './server-paths.json' with { type: 'json' };

/** A running server for `npm run dev`. */
const SERVER = process.env.CANTATA_URL ?? 'http://127.0.0.1:5050';

const OF_THE_SERVER = [
  `^/(${serverPaths.join('|')})(/|$|\\?)`,
  '^/(?!src/)[^/]+/(graphql|download)(/|$|\\?)',
  '^/portal/(settings.json$|logo$|documents/)',
];

export default defineConfig(({ command }) => ({
  // The server may be below a path of another site: scripts find each other, and the server completes the page.
  base: command === 'build' ? './' : '/',
  plugins: [react()],
  server: { proxy: Object.fromEntries(OF_THE_SERVER.map((path) => [path, SERVER])) },
  build: {
    outDir: 'node_modules/.built',
    target: 'es2022',
    // Nothing may be written into the page itself: its content security policy allows no inline script or style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    rollupOptions: {
      output: {
        entryFileNames: '[name]-[hash].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
      },
    },
  },
  test: {
    include: ['unit/**/*.test.ts'],
    setupFiles: ['unit/setup.ts'],
    environment: 'node',
    // Only a busy machine needs so long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
}));

// A real server of its own, with a folder of its own, until it is stopped.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

export const CACHE = process.env.CANTATA_CACHE || join(homedir(), '.cache/cantata');
const TARGET = process.env.CARGO_TARGET_DIR || join(CACHE, 'target');
const PROGRAM = process.env.CANTATA_BIN || join(TARGET, 'debug/cantata');

/** Starts a command of the program that serves; `said` matches what it must have printed. */
export async function startServer(command, { said = /ready on (http:\S+)/, env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cantata-portal-'));
  const [name, ...more] = command;
  const child = spawn(PROGRAM, [name, '--data-dir', folder, '--server-port', '0', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const match = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
      const found = said.exec(text);
      if (found) resolve(found);
    });
    child.on('error', reject);
    void ended.then((code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
  return {
    match,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the catalogues of a server have everything that was submitted. */
export async function untilIndexed(base) {
  const read = async (path) => (await fetch(base + path)).json();
  for (;;) {
    const [indexing, directory] = await Promise.all([read('/admin/indexing'), read('/introspection')]);
    if (indexing.every(({ behind }) => behind === 0) && directory.status === 'healthy') return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

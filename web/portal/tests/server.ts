// Starts a real server with a data folder of its own.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

export const CACHE = process.env.CANTATA_CACHE || join(homedir(), '.cache/cantata');
const TARGET = process.env.CARGO_TARGET_DIR || join(CACHE, 'target');
export const PROGRAM = process.env.CANTATA_BIN || join(TARGET, 'debug/cantata');

/** What a server prints that makes its first key: its address, and the key. */
export const FIRST_KEY = /ready on (http:\S+)[^]*shown again:\n(\S+)\n/;

export interface TestServer {
  /** The match of what the server printed when it was ready, and the groups of it that the expression has. */
  match: [string, string, string];
  stop: () => Promise<void>;
}

interface ServerOptions {
  /** What the server prints when it is ready. */
  said?: RegExp;
  /** Fills the data folder before the server starts, by running the program. */
  prepare?: (run: (...args: string[]) => void, folder: string) => void;
  env?: Record<string, string>;
}

/** Starts the program with a command that serves. */
export async function startServer(
  [name, ...more]: [string, ...string[]],
  { said = /ready on (http:\S+)/, env = {}, prepare }: ServerOptions = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'cantata-portal-'));
  const run = (...args: string[]) => execFileSync(PROGRAM, [...args, '--data-dir', folder], { stdio: 'ignore' });
  prepare?.(run, folder);
  const child = spawn(PROGRAM, [name, '--data-dir', folder, '--server-port', '0', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const match = await new Promise<TestServer['match']>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (part: Buffer) => {
      text += part.toString();
      const found = said.exec(text);
      if (found) resolve([...found] as TestServer['match']);
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

/** Waits until the catalogues of a server contain everything that was submitted. */
export async function untilIndexed(base: string) {
  const read = async <T>(path: string) => (await (await fetch(base + path)).json()) as T;
  for (;;) {
    const [indexing, directory] = await Promise.all([
      read<{ behind: number | null }[]>('/admin/indexing'),
      read<{ status: string }>('/introspection'),
    ]);
    if (indexing.every(({ behind }) => behind === 0) && directory.status === 'healthy') return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

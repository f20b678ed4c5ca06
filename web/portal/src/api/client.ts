// One way to talk to the server: JSON in, JSON out, every error is an ApiError with a message for users.

import { texts } from '../texts';
import { serverPath } from './base';
import { credential } from './credential';

/** An error with a message for users. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** The HTTP status; 0 if there was no answer. */
    readonly status: number,
    /** The server's name for the error, such as `schema.violation`. */
    readonly id?: string,
    /** The JSON of the answer. */
    readonly body?: Record<string, unknown>,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** Says whether a credential could help. */
  get wantsCredential(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

/** Says whether a request was cancelled because its answer is no longer needed. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Returns the message of any error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Text and files are sent as they are, everything else as JSON. */
  body?: unknown;
  contentType?: string;
  signal?: AbortSignal | undefined;
}

/** Sends a request to a path of the server and returns the response if its status is a success. */
export async function send(
  path: string,
  { method = 'GET', body, contentType = 'application/json', signal }: RequestOptions = {},
): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  const key = credential();
  if (key) headers.Authorization = `Bearer ${key}`;
  // Without it the cookie of a session does not count; pages of other sites cannot send it.
  else headers['X-Cantata-Session'] = '1';
  if (body !== undefined) headers['Content-Type'] = contentType;
  let response: Response;
  try {
    const sent = typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body);
    response = await fetch(serverPath(path), { method, headers, body: sent ?? null, signal: signal ?? null });
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new ApiError(texts.api.unreachable, 0);
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Sends a request and returns the JSON of the answer. */
export async function json<T>(path: string, options?: RequestOptions): Promise<T> {
  const response = await send(path, options);
  return (await response.json()) as T;
}

/** Reads the error from a response, in any of the forms that the server uses. */
async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  let message = text.length < 400 ? text.trim() : '';
  let id: string | undefined;
  let body: Record<string, unknown> | undefined;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
    id = typeof body.errorId === 'string' ? body.errorId : undefined;
    message = messageIn(body) ?? message;
  } catch {
    // Not JSON; the text itself is the message.
  }
  return new ApiError(message || texts.api.status(response.status), response.status, id, body);
}

function messageIn(body: Record<string, unknown>): string | undefined {
  if (typeof body.message === 'string') return body.message.replace(/^\[[^\]]*\] - /, '');
  if (typeof body.error === 'string')
    return [body.error, ...(Array.isArray(body.problems) ? (body.problems as string[]) : [])].join('\n');
  if (Array.isArray(body.errors)) return (body.errors as { message: string }[]).map((each) => each.message).join('\n');
  const inner = body.error as { message?: unknown } | undefined;
  return typeof inner?.message === 'string' ? inner.message : undefined;
}

interface GraphqlAnswer<T> {
  data?: T | null;
  errors?: { message: string; extensions?: { code?: string } }[];
}

/** Runs a GraphQL document. Any error in the answer is thrown: a partial answer would look complete. */
export async function graphql<T>(
  path: string,
  query: string,
  variables: Record<string, unknown> = {},
  signal?: AbortSignal,
): Promise<T> {
  const answer = await json<GraphqlAnswer<T>>(path, { method: 'POST', body: { query, variables }, signal });
  if (answer.errors?.length) {
    throw new ApiError(answer.errors.map((error) => error.message).join('\n'), 400, answer.errors[0]?.extensions?.code);
  }
  if (!answer.data) throw new ApiError(texts.api.noData, 200);
  return answer.data;
}
